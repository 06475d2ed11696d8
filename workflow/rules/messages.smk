# In: the jobs of this build, and how long they took in earlier ones.
# Out: what runs and how much is left, while it runs; at its end what was made, or what failed and why.
#
# To Snakemake a figure that cannot be drawn is an error, and so the report, which needs it, is not run. All else is,
# since builds keep going. The report is then written after the last job, with a placeholder in place of whatever is
# missing, and without a record: the next build writes it again.

from rootdk.build_messages import describe_claims, describe_editions, shorten_messages, summarize

build = {}


def endings(not_made=()):
    claims = [] if "data/claims.csv" in not_made else describe_claims(Path("data/claims.csv"))
    return [*claims, *describe_editions(config["editions"], FIGURES, not_made)]


def silent():
    return "all" in map(str, workflow.output_settings.quiet or ())


messages = shorten_messages(endings, lambda: workflow.dryrun, silent)


def follow_progress():
    from rootdk.build_run import BuildRun

    build["run"] = BuildRun(workflow, messages, Path(".cache/durations.json"))


def list_what_is_built(not_made=()):
    write_manifest(Path(run_job.RECORDS), [path for path in BUILT_FILES if path not in not_made], LOCK_FILE)


def tell(*lines):
    print("\n".join(lines), file=sys.stderr)


onsuccess:
    seconds = build["run"].end(BUILD_LOG)
    list_what_is_built()
    tell(*([] if silent() else [summarize(BUILD_LOG, seconds)]), *endings())


onerror:
    from rootdk.build_failures import list_failures
    from rootdk.build_run import read_outcome, write_incomplete_report

    build["run"].end(BUILD_LOG)
    outcome = read_outcome(workflow.dag, workflow.scheduler)
    told = []
    if outcome.report:
        run_job.forget_record(str(outcome.report.message))
        told = write_incomplete_report(outcome.report, outcome.not_made)
    list_what_is_built(outcome.unfinished)
    if outcome.failures:
        tell(list_failures(outcome.failures, outcome.undone, build["run"].total), *told)
    if outcome.stopped:
        tell("The build was stopped before it was done.")
    tell(*endings(outcome.unfinished))
