# The runs of a machine to tidy tables.


def plans_of(profile):
    """The run tables of a machine's experiments."""
    level = STUDY.config.level
    return [f"results/plan/{profile}/{level}/{name}/runs.csv" for name in STUDY.designs]


def jobs_of(profile):
    """What the jobs of a machine's experiments leave behind."""
    return [done(profile, name, blocks) for name, jobs in STUDY.jobs(profile).items() for blocks in jobs]


rule collect:
    input:
        jobs=lambda wildcards: jobs_of(wildcards.profile),
        plans=lambda wildcards: plans_of(wildcards.profile),
        program=PROGRAM,
    output:
        tables=[f"results/tables/{{profile}}/{file}" for file in COLLECTED],
    log:
        "results/log/collect/{profile}.log",
    params:
        plans=lambda wildcards, input: " ".join(f"--table {plan}" for plan in input.plans),
    wildcard_constraints:
        profile=one_of(STUDY.profiles),
    localrule: True
    shell:
        "{input.program} collect --raw results/raw {params.plans}"
        " --out results/tables/{wildcards.profile}" + TOLD


# That every run was made; a target of its own, for those who want no figures yet.
rule measured:
    input:
        [job for profile in STUDY.profiles for job in jobs_of(profile)],
        [left_out(profile) for profile in EMULATED],
    localrule: True
