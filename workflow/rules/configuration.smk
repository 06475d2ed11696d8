# In: config.yaml, what --configfile and --config override, the scripts, the lock.
# Out: the checked config, and the names and digests that the rules use.
#
# Every job is a `shell:` command that runs a script: half the cost of `script:`, and nothing of Snakemake in the script.
# Code is not an input, since Snakemake compares inputs byte by byte. Its digest is a parameter instead: it covers the
# script and all project modules that it imports, and the pinned versions of all packages behind them, and does not
# change with a comment.

import functools
import hashlib
import json
import os
import re
import shlex
import sys
from pathlib import Path

sys.path[:0] = ["scripts", "workflow"]
# Snakemake imports pandas to ask whether a rule's parameter is a table, which takes as long as a build with nothing to
# do. All parameters here are text.
sys.modules.setdefault("pandas", None)

import run_job
import warm_python
from rootdk.config import load_config
from rootdk.digit_rules import rules_of
from rootdk.job_environment import isolate_jobs
from rootdk.locked_packages import packages_behind, pinned_versions, read_lock
from rootdk.manifest import write_manifest
from rootdk.script_signatures import (
    code_digest,
    imported_packages,
    project_code,
    read_signature,
    recall_facts,
    stems,
    store_facts,
)
from rootdk.yaml_source import ConfigError, read_assignments, read_own_yaml

SCRIPTS = Path("scripts")
FACTS = Path(".cache/scripts.json")
BUILD_LOG = Path(".cache/build.log")
# -E, -s and -S shorten the start of this small program only; see there.
JOB = shlex.join([sys.executable, "-E", "-s", "-S", "workflow/run_job.py"])

isolate_jobs()
# Where nothing was ever built there is much to do, and its packages can be imported while Snakemake still plans. A
# reference to the process must last as long as Snakemake runs; it ends when that is gone.
warm_python.process = None if Path(run_job.RECORDS).is_dir() else warm_python.start()

recall_facts(FACTS)
try:
    settings = workflow.config_settings
    loaded = load_config(
        Path("config.yaml"),
        scripts=SCRIPTS,
        schema=Path("workflow/schemas/config.schema.yaml"),
        files=[] if settings.replace_workflow_config else settings.configfiles,
        overrides=read_assignments(settings.config_args or []),
    )
except ConfigError as error:
    sys.exit(str(error))
config.clear()
config.update(loaded)


onstart:
    follow_progress()
    warm_python.process = warm_python.process or warm_python.start()
    BUILD_LOG.unlink(missing_ok=True)
    os.environ[run_job.BUILD_LOG] = str(BUILD_LOG)
    if workflow.local_exec:
        # The limit of jobs per second spares a cluster's queue. Here it would only end each build with a second of
        # waiting, and wake the scheduler once for every choice it has made.
        workflow.scheduler.job_rate_limiter = None


EXPERIMENTS = stems(SCRIPTS, "simulate_")
FIGURES = stems(SCRIPTS, "draw_")
DIGITS = rules_of(config["numbers"], EXPERIMENTS)
COLUMNS = "workflow/schemas/columns.yaml"
LOCK_FILE = Path("locks/build.txt")
LOCK = read_lock(LOCK_FILE)
COLUMN_ENTRIES = read_own_yaml(Path(COLUMNS))
COLUMN_RULES = {
    name: {key: value for key, value in column.items() if key not in ("description", "unit")}
    for name, column in COLUMN_ENTRIES.items()
}
UNITS = {name: column["unit"] for name, column in COLUMN_ENTRIES.items()}


wildcard_constraints:
    experiment="|".join(EXPERIMENTS),
    figure="|".join(FIGURES),


@functools.cache
def source_digest(script):
    try:
        return code_digest(SCRIPTS / script)
    except ValueError as error:
        sys.exit(str(error))


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def columns_in(path):
    return COLUMN_RULES.keys() & set(re.findall(r"\w+", path.read_text(encoding="utf-8")))


def column_rules(scripts):
    """Return the rules for all columns that some scripts can name; a new column is no concern of the others."""
    named = set().union(*(columns_in(path) for script in scripts for path in project_code(SCRIPTS / script)))
    return {name: rules for name, rules in COLUMN_RULES.items() if name in named}


def recipe_of(script, part=None, makers=None):
    """Return what a job rests on, as digests: code, packages behind it, part of the config, rounding of columns.

    ``makers`` are the scripts of the tables that it makes or reads, if those are not all there are.
    """
    packages = packages_behind(imported_packages(SCRIPTS / script), LOCK)
    digests = {
        "code": source_digest(script),
        "lock": digest_of("\n".join(packages)),
        "config": digest_of(as_json(part)),
        "columns": digest_of(as_json(COLUMN_RULES if makers is None else column_rules(makers))),
    }
    return " ".join(f"{name}={digest}" for name, digest in digests.items())


def tables_of(experiments):
    return [f"data/{experiment}{part}.csv" for experiment in experiments for part in ("", "_summary")]


def as_json(value):
    """Return a job's part of the config in the one spelling that equal values share."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
