# config.yaml -> data/ -> figures/ and report.md. Which experiments and figures there are follows from the scripts.


include: "workflow/rules/configuration.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        "report.md",
        "data/datapackage.json",
        FIGURE_FILES,
    message:
        "everything is there"
