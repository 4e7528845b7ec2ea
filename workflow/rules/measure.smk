# Runs on hardware: server and client hosts by the scheduler, on a server that is
# already up, or both on this machine. A job is some neighbouring blocks of a run
# table; what is complete in it is not done again.
import math

DONE = "results/jobs/{profile}/{level}/{experiment}/{blocks}.csv"


def minutes(wildcards):
    """Time for a job: half as much again as it is planned, set-up and verification."""
    design = STUDY.designs[wildcards.experiment]
    jobs = len(STUDY.jobs[wildcards.experiment])
    return math.ceil((1.5 * design.seconds + 0.5 * design.runs) / jobs / 60) + 5


def hosts(wildcards):
    """Hosts of a job: the server and its clients."""
    return 1 + STUDY.designs[wildcards.experiment].client_hosts


def asked_of_scheduler(key):
    return lambda wildcards: STUDY.profiles[wildcards.profile].scheduler.get(key, "")


rule measure:
    input:
        table=rules.design.output,
        script="workflow/scripts/measure",
        launchers=sorted(str(path) for path in Path("workflow/launch").iterdir()),
        # Newer than the runs or not, it did them: they tell which version it was.
        program=ancient(PROGRAM),
    output:
        DONE,
    log:
        "results/log/measure/{profile}/{level}/{experiment}/{blocks}.log",
    params:
        launch=STUDY.config.launch,
        server=STUDY.config.server,
        token=STUDY.config.token_file,
        invalid="--accept-invalid" if STUDY.config.accept_invalid else "",
    wildcard_constraints:
        profile=one_of(STUDY.of_source("measured")),
    resources:
        testbed=1,
        runtime=minutes,
        nodes=hosts,
        tasks=hosts,
        mpi="srun",
        constraint=asked_of_scheduler("constraint"),
        slurm_partition=asked_of_scheduler("partition"),
    shell:
        "{input.script} --program {input.program} --table {input.table} --blocks {wildcards.blocks}"
        " --client-hosts $(({resources.nodes} - 1)) --launch {params.launch}"
        " --server '{params.server}' --token-file '{params.token}' {params.invalid}"
        " --done {output} 2>&1 | tee {log}"
