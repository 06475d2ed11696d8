# In: an experiment's own part of the config, its script.
# Out: data/<experiment>.csv, its observations, and data/<experiment>_summary.csv, the quantities that follow.


rule simulate:
    input:
        # Only how it rounds and types columns matters, which is part of the recipe.
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
        recipe=lambda wildcards: recipe_of(
            f"simulate_{wildcards.experiment}.py",
            config["experiments"][wildcards.experiment],
            makers=[f"simulate_{wildcards.experiment}.py"],
        ),
        parameters=lambda wildcards: as_json(config["experiments"][wildcards.experiment]),
    message:
        "simulate {wildcards.experiment}"
    shell:
        "{JOB} tables 'simulate {wildcards.experiment}' --recipe {params.recipe} --outputs {output:q}"
        " --run scripts/simulate_{wildcards.experiment}.py {params.parameters:q} {output:q} > {log:q} 2>&1"
