# In: all tables, the digits that the config asks for, units of statistics, the macros for LaTeX.
# Out: every number that prose may quote, by name: for programs, for LaTeX, and for Quarto, MyST and Pandoc.

NUMBER_FILES = {
    "json": "data/numbers.json",
    "latex": "figures/latex/numbers.tex",
    "variables": "data/variables.yml",
}


rule list_numbers:
    input:
        macros="workflow/numbers/macros.tex",
        statistics="workflow/schemas/statistics.yaml",
        # Only units of columns matter, which are part of the recipe.
        columns=COLUMNS,
        tables=tables_of(EXPERIMENTS),
    output:
        **{name: update(path) for name, path in NUMBER_FILES.items()},
    log:
        "logs/list_numbers.log",
    params:
        recipe=recipe_of("build_numbers.py", [DIGITS, UNITS]),
        digits=as_json(DIGITS),
    message:
        "list the numbers"
    shell:
        "{JOB} tables 'list the numbers' --recipe {params.recipe}"
        " --inputs {input.macros:q} {input.statistics:q} {input.tables:q} --outputs {output:q}"
        " --run scripts/build_numbers.py {params.digits:q} --macros {input.macros:q} --tables {input.tables:q}"
        " --json {output.json:q} --latex {output.latex:q} --variables {output.variables:q} > {log:q} 2>&1"
