"""Scripts run in a fork behave as scripts run by Python."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import PROJECT

WARM = PROJECT / "workflow" / "warm_python.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems run plain processes, without forks")

SCRIPT = """
import os, sys, time
import rootdk
print("out", sys.argv[1:], os.getcwd(), __name__, os.path.dirname(rootdk.__file__))
print("err", file=sys.stderr)
case = sys.argv[1]
if case == "code": sys.exit(3)
if case == "text": sys.exit("a message")
if case == "raise": raise ValueError("broken")
if case == "sleep": open(sys.argv[2], "w").write(str(os.getpid())); time.sleep(60)
if case == "kill": os.kill(os.getpid(), 9)
if case == "loaded": print("pandas" in sys.modules, "matplotlib" in sys.modules)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "mein Büchlein"
    (folder / "rootdk").mkdir(parents=True)
    (folder / "rootdk" / "__init__.py").write_text("")
    (folder / "script.py").write_text(SCRIPT)
    return folder / "script.py"


class Build(NamedTuple):
    """A process that has started the warm one, as Snakemake does, and what it tells its jobs."""

    process: subprocess.Popen
    address: str


@pytest.fixture(scope="module")
def build() -> Iterator[Build]:
    code = (
        f"import sys; sys.path.insert(0, {str(WARM.parent)!r}); import os, warm_python;"
        "process = warm_python.start(); print(os.environ[warm_python.ADDRESS], flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Build(process, process.stdout.readline().strip())
        process.kill()


def environment(address: str | None) -> dict[str, str]:
    return {**os.environ, **({} if address is None else {"ROOTDK_WARM_PYTHON": address})}


def run(script: Path, address: str | None, *arguments: str, stage: str = "tables") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(WARM), stage, script.name, *arguments],
        cwd=script.parent,
        env=environment(address),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("case", ["plain", "code", "text"])
def test_a_fork_gives_what_python_gives(script: Path, build: Build, case: str) -> None:
    arguments = (case, "two words", "ä'\"$x")
    plain = run(script, None, *arguments)
    assert plain == run(script, build.address, *arguments)
    assert plain[0] == {"plain": 0, "code": 3, "text": 1}[case]


def test_packages_are_there_before_the_script_starts(script: Path, build: Build) -> None:
    assert run(script, build.address, "loaded")[1].splitlines()[1] == "True False"
    assert run(script, build.address, "loaded", stage="figures")[1].splitlines()[1] == "True True"
    assert run(script, None, "loaded")[1].splitlines()[1] == "False False"


def test_an_exception_ends_the_script_with_its_traceback(script: Path, build: Build) -> None:
    code, _, error = run(script, build.address, "raise")
    assert code == 1
    assert error.rstrip().endswith("ValueError: broken")


def test_a_script_that_is_killed_fails(script: Path, build: Build) -> None:
    code, _, error = run(script, build.address, "kill")
    assert code != 0
    assert "was killed by signal 9; perhaps memory ran out" in error


def test_nothing_to_fork_from_means_a_plain_process(script: Path, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    address = json.dumps([str(tmp_path), gone.pid, os.getpid()])
    assert run(script, address, "plain") == run(script, None, "plain")


def test_a_job_whose_build_has_ended_does_not_start(script: Path, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    code, output, error = run(script, json.dumps([str(tmp_path), gone.pid, gone.pid]), "plain")
    assert (code, output, error) == (1, "", "The build that asked for this job has ended.\n")


def wait_for(path: Path) -> int:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return int(path.read_text())


def is_gone(process: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def start_sleeper(script: Path, build: Build) -> tuple[subprocess.Popen, int]:
    mark = script.parent / "mark"
    job = subprocess.Popen(
        [sys.executable, "-I", "-S", str(WARM), "tables", script.name, "sleep", str(mark)],
        cwd=script.parent,
        env=environment(build.address),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return job, wait_for(mark)


def test_a_job_that_is_killed_takes_its_fork_with_it(script: Path, build: Build) -> None:
    job, fork = start_sleeper(script, build)
    job.send_signal(signal.SIGKILL)
    job.wait()
    assert is_gone(fork)
    assert run(script, build.address, "plain")[0] == 0, "the others go on"


def test_a_build_that_is_killed_takes_everything_with_it(script: Path, build: Build) -> None:
    job, fork = start_sleeper(script, build)
    folder, server, _ = json.loads(build.address)
    build.process.send_signal(signal.SIGKILL)
    build.process.wait()
    assert is_gone(fork)
    assert job.wait(timeout=10) != 0
    deadline = time.monotonic() + 10
    while Path(folder).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(folder).exists()
    assert is_gone(server) or Path(f"/proc/{server}/stat").read_text().split()[2] == "Z"
