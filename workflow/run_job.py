"""Runs a job's script, unless everything that it depends on is what it was when its files were last made.

Snakemake plans a job when one before it runs, and cannot know that the one before it will write the same bytes again.
So each job compares contents before it starts: its recipe (digests of code, packages and config), its command, its
inputs and its outputs, with the record of the last time. Records hold no dates and no places: they are as good in a
moved folder or a restored cache.
"""

import argparse
import contextlib
import hashlib
import json
import os
import sys
import time

import warm_python

RECORDS = os.path.join(".cache", "records")
BUILD_LOG = "ROOTDK_BUILD_LOG"


def digest(path: str) -> str:
    """Return the SHA-256 of a file, or an empty string if it is missing or cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def record_path(name: str) -> str:
    """Return where the record of a job is kept."""
    return os.path.join(RECORDS, name.replace(" ", "_") + ".json")


def read_record(name: str) -> dict:
    """Return the record of a job, empty if there is none that can be read."""
    try:
        with open(record_path(name), encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(name: str, record: dict) -> None:
    """Write the record of a job, whole; without one the job merely runs again."""
    part = f"{record_path(name)}.{os.getpid()}.part"
    try:
        os.makedirs(RECORDS, exist_ok=True)
        with open(part, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1, sort_keys=True, ensure_ascii=False)
        os.replace(part, record_path(name))
    except OSError as error:
        print(f"No record could be kept in {RECORDS}, so this will be made again next time: {error.strerror}.")


def forget_record(name: str) -> None:
    """Remove the record of a job, so that the next build makes its files again, and no list calls them good."""
    with contextlib.suppress(OSError):
        os.unlink(record_path(name))


def note(line: str) -> None:
    """Add a line to what this build tells at its end."""
    log = os.environ.get(BUILD_LOG)
    if log:
        with contextlib.suppress(OSError), open(log, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def run_job(name: str, recipe: dict, inputs: list, outputs: list, stage: str, command: list) -> int:
    """Run a job if it is needed, and keep a record of it.

    Parameters
    ----------
    name : str
        What it does, such as ``draw max_weight``.
    recipe : dict of str to str
        Digests of its code, its packages and its part of the config, each by its name.
    inputs, outputs : list of str
        The files that it reads and writes.
    stage : str
        Which packages its script needs, as for ``warm_python.run``.
    command : list of str
        The script and its arguments.

    Returns
    -------
    int
        Its exit code; 0 if it was not needed.
    """
    needed = {"command": command, "inputs": {path: digest(path) for path in inputs}, "recipe": recipe}
    record = read_record(name)
    made = {path: digest(path) for path in outputs}
    if all(made.values()) and record == {**needed, "outputs": made}:
        for path in outputs:
            os.utime(path)
        print("Everything that this depends on is unchanged: not made again.")
        note(f"kept {name}")
        return 0
    started = time.monotonic()
    code = warm_python.run(stage, command)
    if code == 0:
        made = {path: digest(path) for path in outputs}
        if all(made.values()):
            write_record(name, {**needed, "outputs": made})
        note(f"made {name} in {time.monotonic() - started:.2f} s")
    else:
        # Snakemake puts back what was there before, with the date of today, and would then find nothing to do.
        forget_record(name)
    return code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=warm_python.STAGES, help="which packages the script needs")
    parser.add_argument("name", help="what the job does")
    parser.add_argument("--recipe", nargs="+", required=True, help="what it rests on, each as name=digest")
    parser.add_argument("--inputs", nargs="*", default=[], help="files that it reads")
    parser.add_argument("--outputs", nargs="+", required=True, help="files that it writes")
    parser.add_argument("--run", nargs=argparse.REMAINDER, required=True, help="the script and its arguments")
    given = parser.parse_args()
    recipe = dict(entry.split("=", 1) for entry in given.recipe)
    try:
        sys.exit(run_job(given.name, recipe, given.inputs, given.outputs, given.stage, given.run))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
