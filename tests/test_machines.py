"""The tables to the last digit under the kernels of other processors, as far as this one can run them."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from rootdk.config import load_config

SCRIPTS = PROJECT / "scripts"
FEATURES = {name for name, there in _multiarray_umath.__cpu_features__.items() if there}
# Those that this numpy has kernels for and this processor runs, from the oldest to the newest.
KERNELS = [name for name in _multiarray_umath.__cpu_dispatch__ if name in FEATURES]
ON_X86 = platform.machine().lower() in ("x86_64", "amd64")

# Kernels of OpenBLAS, and what numpy says of a processor that runs them.
BLAS_KERNELS = {"NEHALEM": "SSE42", "SANDYBRIDGE": "AVX", "HASWELL": "FMA3"}
MACHINES = {
    **{
        f"OpenBLAS for {name}": {"OPENBLAS_CORETYPE": name} for name, needs in BLAS_KERNELS.items() if needs in FEATURES
    },
    **{
        f"numpy without {' '.join(KERNELS[place:])}": {"NPY_DISABLE_CPU_FEATURES": " ".join(KERNELS[place:])}
        for place in range(len(KERNELS))
    },
    "one thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}
if ON_X86 and sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
    MACHINES["libc without fused multiply-add"] = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}

# One process for all experiments, since importing pandas takes longer than most of them.
SIMULATE_ALL = """
import importlib, json, sys, warnings
warnings.simplefilter("error")
from rootdk.command import run_simulation
for experiment, parameters in json.loads(sys.argv[1]).items():
    name = f"simulate_{experiment}"
    files = [f"{sys.argv[2]}/{experiment}{part}.csv" for part in ("", "_summary")]
    run_simulation(getattr(importlib.import_module(name), name), [json.dumps(parameters), *files])
"""

# Enough of what is known to depend on the processor to tell whether it seems another.
FINGERPRINT = """
import hashlib, math
import numpy as np
x = np.random.default_rng(0).standard_normal((300, 300))
for numbers in (np.exp(x), x @ x.T, np.array([math.exp(value) for value in x.flat])):
    print(hashlib.sha256(numbers.tobytes()).hexdigest())
"""


def run(code: str, *arguments: str, **environment: str) -> str:
    clean = {
        name: value for name, value in os.environ.items() if name not in {key for e in MACHINES.values() for key in e}
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**clean, "PYTHONPATH": str(SCRIPTS), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def experiments() -> str:
    schema = PROJECT / "workflow" / "schemas" / "config.schema.yaml"
    return json.dumps(load_config(PROJECT / "config.yaml", scripts=SCRIPTS, schema=schema)["experiments"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_tables_are_the_committed_ones_to_the_byte(machine: str, experiments: str, tmp_path: Path) -> None:
    run(SIMULATE_ALL, experiments, str(tmp_path), **MACHINES[machine])
    made = sorted(tmp_path.glob("*.csv"))
    assert len(made) == 2 * len(json.loads(experiments))
    moved = [path.name for path in made if path.read_bytes() != (PROJECT / "data" / path.name).read_bytes()]
    assert moved == []


@pytest.mark.skipif(not ON_X86 or "FMA3" not in FEATURES, reason="knows the kernels of newer x86 processors only")
def test_those_machines_do_differ_from_this_one() -> None:
    here = run(FINGERPRINT)
    seen = {name: run(FINGERPRINT, **environment) for name, environment in MACHINES.items() if name != "one thread"}
    assert any(fingerprint != here for fingerprint in seen.values())
    assert len(set(seen.values())) >= 2
