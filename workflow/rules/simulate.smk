# In: an experiment's own part of the config, its script.
# Out: data/<experiment>.csv, its observations, and data/<experiment>_summary.csv, the quantities that follow.


rule simulate:
    input:
        code=lambda wildcards: code_of(f"simulate_{wildcards.experiment}.py"),
        columns=COLUMNS,
    output:
        # update: keeps the last good table until a new one is whole.
        update("data/{experiment}.csv"),
        update("data/{experiment}_summary.csv"),
    log:
        "logs/simulate_{experiment}.log",
    # Before the figures, which wait for matplotlib to be imported.
    priority: 1
    params:
        parameters=lambda wildcards: as_json(config["experiments"][wildcards.experiment]),
    message:
        "simulate {wildcards.experiment}"
    shell:
        "{PYTHON} tables {input.code[0]:q} {params.parameters:q} {output:q} > {log:q} 2>&1"


rule describe_tables:
    input:
        code=code_of("build_datapackage.py"),
        columns=COLUMNS,
        tables=tables_of(EXPERIMENTS),
    output:
        update("data/datapackage.json"),
    log:
        "logs/describe_tables.log",
    message:
        "describe the tables"
    shell:
        "{PYTHON} tables {input.code[0]:q} {output:q} {input.tables:q} > {log:q} 2>&1"
