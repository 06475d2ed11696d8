# In: all tables, the claims of the chapter.
# Out: data/claims.csv, each claim with its verdict. Under the config that the claims were written for, none may be false.

CLAIMS_HOLD = ".cache/claims_hold"
WRITTEN_FOR = "workflow/chapter/claims/written_for.sha256"
if not os.path.exists(WRITTEN_FOR):
    sys.exit(f"{WRITTEN_FOR} is missing. Without it no build could tell whether a false claim is its author's to mend.")
CLAIMS = sorted(str(path) for path in Path("workflow/chapter/claims").iterdir())


rule judge_claims:
    input:
        claims=CLAIMS,
        tables=tables_of(EXPERIMENTS),
    output:
        update("data/claims.csv"),
    log:
        "logs/judge_claims.log",
    params:
        recipe=recipe_of("build_claims.py", [config["experiments"], DIGITS]),
        setup=as_json(config["experiments"]),
        digits=as_json(DIGITS),
    message:
        "judge the claims"
    shell:
        "{JOB} tables 'judge the claims' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/build_claims.py {params.setup:q} --digits {params.digits:q} --claims workflow/chapter/claims --tables {input.tables:q}"
        " --output {output:q} > {log:q} 2>&1"


# Apart, so that a build in which a claim is false still leaves the table that says so, and the chapter that marks it.
rule hold_to_claims:
    input:
        claims="data/claims.csv",
        written_for=WRITTEN_FOR,
    output:
        update(CLAIMS_HOLD),
    log:
        "logs/hold_to_claims.log",
    params:
        recipe=recipe_of("check_claims.py", config["experiments"]),
        setup=as_json(config["experiments"]),
    message:
        "hold the chapter to its claims"
    shell:
        "{JOB} tables 'hold the chapter to its claims' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/check_claims.py {params.setup:q} --claims {input.claims:q} --written-for {input.written_for:q}"
        " --output {output:q} > {log:q} 2>&1"
