# In: the files that a build makes, and the records of how they were made.
# Out: for what somebody changed, and what no record speaks of, such as the files of a fresh clone, Snakemake forgets what
# it knows and finds the oldest date there is. It then makes them again, whatever date they had.

from base64 import b64encode


def snakemake_record(path):
    return Path(".snakemake", "metadata", b64encode(path.encode()).decode())


def not_as_recorded():
    """Return what no record speaks of, and all outputs of a job of which one is not what the job left there."""
    watched = {*BUILT_FILES, CLAIMS_HOLD}
    found = set(watched)
    for record in Path(run_job.RECORDS).glob("*.json"):
        made_by_job = run_job.read_record(record.stem).get("outputs", {})
        outputs = {path: made for path, made in made_by_job.items() if path in watched}
        changed = [path for path, made in outputs.items() if run_job.digest(path) not in ("", made)]
        for path in changed:
            print(f"{path} is not what the build left there; it will be made again.", file=sys.stderr)
        if not changed and all(snakemake_record(path).exists() for path in outputs):
            found -= set(outputs)
    return found


for path in filter(os.path.exists, not_as_recorded()):
    snakemake_record(path).unlink(missing_ok=True)
    os.utime(path, (1, 1))  # to Snakemake, 0 is no date at all
store_facts(FACTS)
