# In: config.yaml, what --configfile and --config override, the scripts.
# Out: the checked config, and the names and dependencies that the rules use.
#
# Every job is a `shell:` command that runs a script, with the script and all project modules that it imports among
# its inputs. Snakemake then compares code by content like any other file, an edit in a shared module reaches exactly
# the scripts that import it, and a job costs half of what it costs under `script:`.

import json
import shlex
import sys
from pathlib import Path

sys.path[:0] = ["scripts", "workflow"]
# Snakemake imports pandas to ask whether a rule's parameter is a table, which takes as long as a build with nothing to
# do. All parameters here are text.
sys.modules.setdefault("pandas", None)

import warm_python
from rootdk.config import FIGURE_SIZE, load_config
from rootdk.failure_messages import shorten_failures
from rootdk.job_environment import isolate_jobs
from rootdk.script_signatures import project_code, read_signature, stems
from rootdk.yaml_source import ConfigError, read_assignments

SCRIPTS = Path("scripts")
# -I and -S shorten the start of this small program only; see there.
PYTHON = shlex.join([sys.executable, "-I", "-S", "workflow/warm_python.py"])

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

isolate_jobs()
shorten_failures()


onstart:
    # A reference to it must last as long as Snakemake runs; the process ends when that is gone.
    warm_python.process = warm_python.start()
    if workflow.local_exec:
        # The limit of jobs per second spares a cluster's queue. Here it would only end each build with a second of
        # waiting, and wake the scheduler once for every choice it has made.
        workflow.scheduler.job_rate_limiter = None


EXPERIMENTS = stems(SCRIPTS, "simulate_")
FIGURES = stems(SCRIPTS, "draw_")
COLUMNS = "workflow/schemas/columns.yaml"


wildcard_constraints:
    experiment="|".join(EXPERIMENTS),
    figure="|".join(FIGURES),


def code_of(script):
    return [str(path) for path in project_code(SCRIPTS / script)]


def tables_of(experiments):
    return [f"data/{experiment}{part}.csv" for experiment in experiments for part in ("", "_summary")]


def as_json(value):
    """Return a job's part of the config in the one spelling that equal values share."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
