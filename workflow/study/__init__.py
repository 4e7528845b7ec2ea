"""What a study consists of, read from config/, experiments/ and profiles/ before anything is run.

    configuration   config/config.yaml and --config, checked
    design          experiments/*.toml: what a design costs, and the jobs that it is done in
    profile         profiles/*/machine.toml: what kind of machine, what to ask a scheduler for
    study           all of it: which jobs, tables and figures there are

Plain Python without Snakemake, so that it is tested by itself. Reading 20 designs takes
milliseconds: nothing is expanded here, because a design states its runs and blocks, and
`onesided` refuses one whose statement is wrong.
"""

from .refusal import Refusal
from .study import COLLECTED, Study

__all__ = ["COLLECTED", "Refusal", "Study"]
