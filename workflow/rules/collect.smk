# The runs of a machine, or of a model of it, to tidy tables.
from snakemake.logging import logger


def plans_of(name):
    """The run tables of a set's experiments."""
    runs = STUDY.run_sets[name]
    return [f"results/plan/{name}/{runs.level}/{experiment}/runs.csv" for experiment in runs.designs]


def jobs_of(name):
    """What the jobs of a set's experiments leave behind."""
    runs = STUDY.run_sets[name]
    if runs.is_simulated:
        return simulated(DONE_SIMULATED, runs)
    return [
        done(runs.profile, experiment, blocks)
        for experiment, jobs in STUDY.jobs(runs.profile).items()
        for blocks in blocks_of(runs.profile, experiment, jobs)
    ]


def left_out_of(name):
    """Where it is told what of a set could not be done; nothing where everything can."""
    runs = STUDY.run_sets[name]
    if runs.is_simulated:
        return [NOT_COVERED.format(profile=runs.profile, level=runs.level)]
    return [left_out(runs.profile)] if runs.profile in EMULATED else []


rule collect:
    input:
        jobs=lambda wildcards: jobs_of(wildcards.name),
        plans=lambda wildcards: plans_of(wildcards.name),
        program=PROGRAM,
    output:
        tables=[f"results/tables/{{name}}/{file}" for file in COLLECTED],
    log:
        "results/log/collect/{name}.log",
    params:
        raw=lambda wildcards: STUDY.run_sets[wildcards.name].raw,
        plans=lambda wildcards, input: options("--table", input.plans),
    wildcard_constraints:
        name=one_of(STUDY.run_sets),
    localrule: True
    shell:
        "{input.program:q} collect --raw {params.raw} {params.plans}"
        " --out results/tables/{wildcards.name}" + TOLD


# That every run was made; a target of its own, for those who want no figures yet.
rule measured:
    input:
        [job for name in STUDY.run_sets for job in jobs_of(name)],
        [told for name in STUDY.run_sets for told in left_out_of(name)],
    localrule: True


# Here every job is planned.
for note in STUDY.notes:
    logger.warning(note)
