# From stored tables to figures, verdicts and the report. `ci/workflow` runs it.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        rules.figures.input,
        rules.claims.output,
        rules.report.input,
