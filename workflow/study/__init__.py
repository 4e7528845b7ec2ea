"""What a study consists of, read from config/, experiments/ and profiles/ before anything is run.

    configuration   config/config.yaml and --config, checked
    design          experiments/*.toml: what a design states
    cost            what runs cost, and the jobs that they are done in
    profile         profiles/*/machine.toml: what kind of machine, what to ask a scheduler for
    sets            runs of one source on one machine, and tables
    factors         factors of a run and their words, from the schema
    drawing         folders of figures, and the sets behind each
    model           what is asked of the simulator beside runs
    shell           what users say, as the shell takes it
    study           all of it: which jobs, tables and figures there are

Plain Python without Snakemake, so that it is tested by itself. Reading 20 designs takes
milliseconds where they state their runs and blocks (`onesided` refuses a wrong statement). Of
one that does not, `onesided expand` is asked, where the program is there.
"""

from .cost import of_table as cost_of_table
from .refusal import Refusal
from .sets import COLLECTED
from .shell import options
from .study import Study

__all__ = ["COLLECTED", "Refusal", "Study", "cost_of_table", "options"]
