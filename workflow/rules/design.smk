# Designs to run tables: one row a run, in randomised order within blocks.
import re


def one_of(names):
    """A wildcard that is one of these, or nothing."""
    return "|".join(map(re.escape, names)) or "$^"


# Run tables of this machine are of what it can do: emulate.smk.
EMULATED = STUDY.of_source("emulated")


rule design:
    input:
        design="experiments/{experiment}.toml",
        # A newer one would make the same table, or refuse the one that is there.
        program=ancient(PROGRAM),
    output:
        table="results/plan/{profile}/{level}/{experiment}/runs.csv",
    log:
        "results/log/design/{profile}/{level}/{experiment}.log",
    params:
        seed=STUDY.config.seed,
        # By a function: in a plain string Snakemake would look for wildcards.
        only=lambda wildcards: options("--only", STUDY.config.only),
        possible="",
    wildcard_constraints:
        profile=one_of(name for name in STUDY.profiles if name not in EMULATED),
        level="full|reproduce|smoke",
    localrule: True
    shell:
        "{{ {input.program:q} expand {input.design} --level {wildcards.level}"
        " --profile {wildcards.profile} --seed {params.seed} {params.only} {params.possible}"
        " --out {output.table} && {input.program:q} check {output.table}; }}" + TOLD
