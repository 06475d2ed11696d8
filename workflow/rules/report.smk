# In: all tables, the figures that the chapter shows, the chapter's templates, what the sources printed.
# Out: data/published.csv, ours beside theirs, and report.md, the chapter.


rule compare_with_sources:
    input:
        code=code_of("build_published.py"),
        columns=COLUMNS,
        published="workflow/published/published.csv",
        setup="workflow/published/setup.yaml",
        tables=tables_of(EXPERIMENTS),
    output:
        update("data/published.csv"),
    log:
        "logs/compare_with_sources.log",
    params:
        setup=as_json(config["experiments"]),
    message:
        "compare with the sources"
    shell:
        "{PYTHON} tables {input.code[0]:q} {params.setup:q} --published {input.published:q} --setup {input.setup:q}"
        " --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"


rule report:
    input:
        code=code_of("build_report.py"),
        columns=COLUMNS,
        chapter=sorted(str(path) for path in Path("workflow/chapter").rglob("*.*")),
        sources="workflow/published/sources.yaml",
        published="data/published.csv",
        tables=tables_of(EXPERIMENTS),
        figures=[f"figures/web/{figure}.svg" for figure in FIGURES],
    output:
        update("report.md"),
    log:
        "logs/report.log",
    params:
        setup=as_json(config["experiments"]),
    message:
        "write the chapter"
    shell:
        "{PYTHON} tables {input.code[0]:q} {params.setup:q} --chapter workflow/chapter --published {input.published:q}"
        " --sources {input.sources:q} --tables {input.tables:q} --figures {input.figures:q} --output {output:q}"
        " > {log:q} 2>&1"
