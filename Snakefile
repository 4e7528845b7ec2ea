# From designs and machines to runs, figures, verdicts and the report. `ci/workflow`
# runs it with what ci/install made; config/config.yaml says what is made.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.14")
sys.path.insert(0, str(Path(workflow.basedir, "workflow")))
from study import COLLECTED, Refusal, Study, cost_of_table, options


configfile: "config/config.yaml"


try:
    STUDY = Study(config, "workflow/schemas/config.yaml")
except Refusal as refusal:
    raise WorkflowError(str(refusal)) from None


include: "workflow/rules/build.smk"
include: "workflow/rules/design.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/emulate.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        rules.measured.input,
        rules.figures.input,
        rules.claims.output,
        rules.report.input,
