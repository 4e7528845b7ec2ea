# Designs to run tables: one row a run, in randomised order within blocks.
import re


def one_of(names):
    """A wildcard that is one of these, or nothing."""
    return "|".join(map(re.escape, names)) or "$^"



rule design:
    input:
        design="experiments/{experiment}.toml",
        # A newer one would make the same table, or refuse the one that is there.
        program=ancient(PROGRAM),
    output:
        "results/plan/{profile}/{level}/{experiment}/runs.csv",
    log:
        "results/log/design/{profile}/{level}/{experiment}.log",
    params:
        seed=STUDY.config.seed,
        only=" ".join(f"--only '{only}'" for only in STUDY.config.only),
    wildcard_constraints:
        profile=one_of(STUDY.profiles),
        level="full|reproduce|smoke",
    localrule: True
    shell:
        "{{ {input.program} expand {input.design} --level {wildcards.level}"
        " --profile {wildcards.profile} --seed {params.seed} {params.only} --out {output}"
        " && {input.program} check {output}; }}" + TOLD
