# In: the tables that a figure's function takes, its part of the config, its words, its script, the style.
# Out: figures/<edition>/<figure>.<format>, all editions and formats from one job.

FIGURE_FILES = [
    f"figures/{edition}/{figure}.{kind}"
    for edition, settings in config["editions"].items()
    for figure in FIGURES
    for kind in settings["formats"]
]


def experiments_of(figure):
    """Return the experiments whose tables a figure takes, by the names of its function's parameters."""
    taken = {name.removesuffix("_summary") for name in read_signature(SCRIPTS / f"draw_{figure}.py").keywords}
    return [experiment for experiment in EXPERIMENTS if experiment in taken]


rule draw:
    input:
        style="scripts/rootdk/rootdk.mplstyle",
        words="workflow/chapter/figures/{figure}.yaml",
        tables=lambda wildcards: tables_of(experiments_of(wildcards.figure)),
    output:
        # update: a figure that cannot be redrawn does not cost the last good one.
        update(
            [
                f"figures/{edition}/{{figure}}.{kind}"
                for edition, settings in config["editions"].items()
                for kind in settings["formats"]
            ]
        ),
    log:
        "logs/draw_{figure}.log",
    params:
        recipe=lambda wildcards: recipe_of(f"draw_{wildcards.figure}.py"),
        options=lambda wildcards: as_json(config["figures"][wildcards.figure]),
        editions=as_json(config["editions"]),
        setup=lambda wildcards: as_json(
            {name: config["experiments"][name] for name in experiments_of(wildcards.figure)}
        ),
    message:
        "draw {wildcards.figure}"
    shell:
        "{JOB} figures 'draw {wildcards.figure}' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/draw_{wildcards.figure}.py {params.options:q} {params.editions:q} {params.setup:q}"
        " --words {input.words:q} --tables {input.tables:q} --files {output:q} > {log:q} 2>&1"
