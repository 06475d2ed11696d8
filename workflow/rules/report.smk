# In: all tables, the figures that the chapter shows, the chapter's templates, what the sources printed.
# Out: data/published.csv, ours beside theirs; a description of every table; report.md, the chapter.


rule compare_with_sources:
    input:
        published="workflow/published/published.csv",
        setup="workflow/published/setup.yaml",
        tables=tables_of(EXPERIMENTS),
    output:
        update("data/published.csv"),
    log:
        "logs/compare_with_sources.log",
    params:
        recipe=recipe_of("build_published.py", config["experiments"]),
        setup=as_json(config["experiments"]),
    message:
        "compare with the sources"
    shell:
        "{JOB} tables 'compare with the sources' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/build_published.py {params.setup:q} --published {input.published:q} --setup {input.setup:q}"
        " --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"


rule describe_tables:
    input:
        columns=COLUMNS,
        tables=[*tables_of(EXPERIMENTS), "data/published.csv", "data/claims.csv"],
    output:
        update("data/datapackage.json"),
    log:
        "logs/describe_tables.log",
    params:
        recipe=recipe_of("build_datapackage.py"),
    message:
        "describe tables"
    shell:
        "{JOB} tables 'describe tables' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/build_datapackage.py {output:q} {input.tables:q} > {log:q} 2>&1"


rule report:
    input:
        chapter=sorted(str(path) for path in Path("workflow/chapter").rglob("*.*")),
        sources="workflow/published/sources.yaml",
        published="data/published.csv",
        tables=tables_of(EXPERIMENTS),
        # The report links to the figures and does not read them: another figure is no other report.
        figures=[f"figures/web/{figure}.svg" for figure in FIGURES],
    output:
        update("report.md"),
    log:
        "logs/report.log",
    params:
        recipe=recipe_of("build_report.py", [config["experiments"], DIGITS]),
        # One word of the shell each; the end of a build with failures runs it too.
        command=lambda wildcards, input: shlex.join(
            [
                *("scripts/build_report.py", as_json(config["experiments"]), "--digits", as_json(DIGITS)),
                *("--chapter", "workflow/chapter", "--published", input.published, "--sources", input.sources),
                *("--tables", *input.tables, "--figures", *input.figures, "--output", "report.md"),
            ]
        ),
    message:
        "write the chapter"
    shell:
        "{JOB} tables 'write the chapter' --recipe {params.recipe} --inputs {input.chapter:q} {input.sources:q} {input.published:q} {input.tables:q} --outputs {output:q}"
        " --run {params.command} > {log:q} 2>&1"
