# Runs on hardware: server and client hosts by the scheduler, on a server that is
# already up, or both on this machine. A job is some neighbouring blocks of a run
# table; what is complete in it is not done again.
#
# What a job needs beside its design must be there, but does not make runs out of date:
# a run's record tells which version of the program made it. Hence `ancient`. What a
# design says has a folder of its own, so that no job of another one passes for it.
import hashlib
import math
import os

# Snakemake takes no more than it is given (--cores); where jobs are a scheduler's, it is given none.
CPUS = len(os.sched_getaffinity(0))

DONE = "results/jobs/{profile}/{level}/{experiment}/{design}/{blocks}{accepted}.csv"


def digest(experiment, only=STUDY.config.only):
    """Of all that decides which runs there are."""
    said = [Path(f"experiments/{experiment}.toml").read_bytes(), STUDY.config.seed, only]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:8]


def done(profile, experiment, blocks):
    """What a job leaves behind; under another name where not all of its runs are valid."""
    names = {"profile": profile, "level": STUDY.config.level, "experiment": experiment, "blocks": blocks}
    names["design"] = digest(experiment)
    whole = DONE.format(accepted="", **names)
    if not STUDY.config.accept_invalid or Path(whole).exists():
        return whole
    return DONE.format(accepted=".accepted", **names)


def blocks_of(profile, experiment, planned):
    """The jobs of an experiment, by their blocks."""
    # What was planned as one job, before the program was there to be asked, is done if that job is.
    return ["all"] if Path(done(profile, experiment, "all")).exists() else planned


def minutes(wildcards, input):
    """Time for a job: half as much again as its runs take, set-up and verification.

    While the run table is missing Snakemake shows <TBD>; it asks again before it submits.
    """
    cost = cost_of_table(input.table, wildcards.blocks)
    return math.ceil((1.5 * cost.seconds + 1.0 * cost.runs) / 60) + 5


def hosts(wildcards):
    """Hosts of a job: the server and its clients."""
    return 1 + STUDY.designs[wildcards.experiment].client_hosts


def asked_of_scheduler(key):
    return lambda wildcards: STUDY.profiles[wildcards.profile].scheduler.get(key, "")


def files_below(*folders):
    return sorted(str(path) for folder in folders for path in Path(folder).rglob("*") if path.is_file())


# One measuring job at a time, as two would measure each other, however Snakemake was started:
# --resources testbed=N or a profile can say otherwise, as that of a cluster does. Snakemake 9.16
# has no `setdefault` here.
if "testbed" not in workflow.global_resources:
    workflow.global_resources["testbed"] = 1


rule measure:
    input:
        table=rules.design.output.table,
        script=ancient("workflow/scripts/measure"),
        launchers=ancient(files_below("workflow/launch")),
        program=ancient(PROGRAM),
    output:
        DONE,
    log:
        "results/log/measure/{profile}/{level}/{experiment}/{design}/{blocks}{accepted}.log",
    wildcard_constraints:
        profile=one_of(STUDY.of_source("measured")),
        blocks="all|[0-9]+-[0-9]+",
        design="[0-9a-f]{8}",
        accepted="|[.]accepted",
    params:
        fabric="",
    resources:
        launch=STUDY.config.launch,
        testbed=1,
        runtime=minutes,
        nodes=hosts,
        tasks=hosts,
        mpi="srun",
        constraint=asked_of_scheduler("constraint"),
        slurm_partition=asked_of_scheduler("partition"),
    shell:
        "{input.script} --program {input.program:q} --table {input.table} --blocks {wildcards.blocks}"
        " --client-hosts $(({resources.nodes} - 1)) --launch {resources.launch}"
        " --server {STUDY.config.server:q} --token-file {STUDY.config.token_file:q} {params.fabric}"
        " $([[ -z '{wildcards.accepted}' ]] || echo --accept-invalid) --done {output} 2>&1 | tee {log}"
