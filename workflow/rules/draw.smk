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


def config_behind(figure):
    """Return a figure's own part of the config, those of its experiments, and the digits of their numbers."""
    names = experiments_of(figure)
    behind = {"figure": config["figures"][figure], "experiments": {name: config["experiments"][name] for name in names}}
    digits = rules_of(config["numbers"], names)
    return {**behind, "numbers": digits} if digits else behind


def provenance_of(figure):
    """Return what each file of a figure says of its making; its tables and its edition's resolution are added to it."""
    script = f"draw_{figure}.py"
    behind = config_behind(figure)
    return {
        "seeds": {name: part["seed"] for name, part in behind["experiments"].items() if "seed" in part},
        "config": digest_of(as_json(behind)),
        "source": source_digest(script),
        "versions": pinned_versions(imported_packages(SCRIPTS / script), LOCK),
    }


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
        recipe=lambda wildcards: recipe_of(
            f"draw_{wildcards.figure}.py",
            config_behind(wildcards.figure),
            makers=[f"simulate_{experiment}.py" for experiment in experiments_of(wildcards.figure)],
        ),
        options=lambda wildcards: as_json(config["figures"][wildcards.figure]),
        editions=as_json(config["editions"]),
        setup=lambda wildcards: as_json(config_behind(wildcards.figure)["experiments"]),
        digits=lambda wildcards: as_json(rules_of(config["numbers"], experiments_of(wildcards.figure))),
        provenance=lambda wildcards: as_json(provenance_of(wildcards.figure)),
    message:
        "draw {wildcards.figure}"
    shell:
        "{JOB} figures 'draw {wildcards.figure}' --recipe {params.recipe} --inputs {input:q} --outputs {output:q}"
        " --run scripts/draw_{wildcards.figure}.py {params.options:q} {params.editions:q} {params.setup:q}"
        " --provenance {params.provenance:q} --digits {params.digits:q} --words {input.words:q} --tables {input.tables:q} --files {output:q} > {log:q} 2>&1"
