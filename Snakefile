# config.yaml -> data/ -> figures/ and report.md. Which experiments and figures there are follows from the scripts.


include: "workflow/rules/configuration.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/numbers.smk"
include: "workflow/rules/messages.smk"


BUILT_FILES = [
    "report.md",
    "data/datapackage.json",
    "data/published.csv",
    "data/claims.csv",
    *NUMBER_FILES.values(),
    *tables_of(EXPERIMENTS),
    *FIGURE_FILES,
]


include: "workflow/rules/built_files.smk"


rule all:
    default_target: True
    input:
        BUILT_FILES,
        CLAIMS_HOLD,
    message:
        "everything is there"
