# Runs in a model of the hardware, on whatever machine this is; and what the model says of conditions
# that were measured. Runs with factors that it does not cover are counted and told, and stop nothing.

SIMULATED = STUDY.of_source("simulated")

PLAN_SIMULATED = "results/plan/{profile}-simulated/{level}/{experiment}"
DONE_SIMULATED = "results/jobs/{profile}-simulated/{level}/{experiment}/{design}/all.csv"
LIST_NOT_COVERED = PLAN_SIMULATED + "/not-covered-{design}.csv"
NOT_COVERED = "results/plan/{profile}-simulated/{level}/not-covered.txt"


def simulated_sets():
    return [runs for runs in STUDY.run_sets.values() if runs.is_simulated]


def simulated(pattern, runs):
    """Files of the experiments of a set of simulated runs."""
    names = {"profile": runs.profile, "level": runs.level}
    return [
        pattern.format(experiment=experiment, design=digest(experiment, runs.only), **names)
        for experiment in runs.designs
    ]


def set_up_of(wildcards):
    set_up = STUDY.set_up(wildcards.profile, wildcards.experiment)
    return options("--set-up", [set_up] if set_up else [])


use rule design as design_simulated with:
    input:
        design="experiments/{experiment}.toml",
        program=ancient(PROGRAM),
    output:
        table=PLAN_SIMULATED + "/runs.csv",
    log:
        "results/log/design/{profile}-simulated/{level}/{experiment}.log",
    params:
        seed=STUDY.config.seed,
        only=lambda wildcards: options("--only", STUDY.simulated_only),
        possible="",
    wildcard_constraints:
        profile=one_of(SIMULATED),
        level="full|reproduce|smoke",
    localrule: True


# On all CPUs, and alone, as all that computes here: a run beside it that is measured would be disturbed.
rule simulate:
    input:
        table=PLAN_SIMULATED + "/runs.csv",
        parameters="profiles/{profile}/simulation.toml",
        machine="profiles/{profile}/machine.toml",
        script="workflow/scripts/simulate",
        program=PROGRAM,
    output:
        done=DONE_SIMULATED,
        not_covered=LIST_NOT_COVERED,
    log:
        "results/log/simulate/{profile}/{level}/{experiment}/{design}.log",
    params:
        share=STUDY.config.simulate_share,
        set_up=set_up_of,
    wildcard_constraints:
        profile=one_of(SIMULATED),
        level="full|reproduce|smoke",
        design="[0-9a-f]{8}",
    threads: CPUS
    resources:
        testbed=1,
    localrule: True
    shell:
        "{input.script} --program {input.program:q} --table {input.table} --profile {wildcards.profile}"
        " --share {params.share} {params.set_up} --jobs {threads} --raw results/simulated"
        " --done {output.done} --not-covered {output.not_covered}" + TOLD


rule not_covered:
    input:
        script="workflow/scripts/left-out",
        lists=lambda wildcards: simulated(
            LIST_NOT_COVERED, STUDY.run_sets[f"{wildcards.profile}-simulated"]
        ),
    output:
        NOT_COVERED,
    log:
        "results/log/not-covered/{profile}/{level}.log",
    wildcard_constraints:
        profile=one_of(SIMULATED),
        level="full|reproduce|smoke",
    localrule: True
    shell:
        # Told where the workflow runs, once.
        "{input.script} --by-the-model {input.lists} 2>{log} >{output} && cat {output} >&2"


# What the committed parameters of a machine say of every stored condition.
rule predict:
    input:
        conditions=STUDY.conditions or [],
        parameters=lambda wildcards: STUDY.predicted[wildcards.profile],
        program=PROGRAM,
    output:
        table="results/tables/{profile}-predicted/predictions.csv.gz",
        judged="results/tables/{profile}-predicted/judged.json",
    log:
        "results/log/predict/{profile}.log",
    wildcard_constraints:
        profile=one_of(STUDY.predicted),
    threads: CPUS
    resources:
        testbed=1,
    localrule: True
    shell:
        "{{ {input.program:q} calibrate {wildcards.profile} --as-it-is --conditions {input.conditions:q}"
        " --out {output.table} --json >{output.judged}; }} 2>{log} || {{ cat {log} >&2; exit 1; }}"


# Sweeps of other papers, and over queue pairs and client hosts.
rule sweep:
    input:
        parameters="profiles/{profile}/simulation.toml",
        program=PROGRAM,
    output:
        "results/tables/{profile}-swept/shapes.csv.gz",
    log:
        "results/log/sweep/{profile}.log",
    params:
        studies=lambda wildcards: ",".join(STUDY.swept[wildcards.profile]),
    wildcard_constraints:
        profile=one_of(STUDY.swept),
    threads: CPUS
    resources:
        testbed=1,
    localrule: True
    shell:
        "{input.program:q} simulate --study {params.studies} --profile {wildcards.profile} --jobs {threads}"
        " --out results/tables/{wildcards.profile}-swept >/dev/null 2>{log} || {{ cat {log} >&2; exit 1; }}"


# Harder questions than held-out design points: paper/model.toml.
rule question:
    input:
        conditions=STUDY.conditions or [],
        parameters=lambda wildcards: [
            f"profiles/{name}/simulation.toml" for name in STUDY.questions[wildcards.question].profiles
        ],
        program=PROGRAM,
    output:
        "results/model/{question}.json",
    log:
        "results/log/question/{question}.log",
    params:
        arguments=lambda wildcards: STUDY.questions[wildcards.question].arguments,
    wildcard_constraints:
        question=one_of(STUDY.questions),
    threads: CPUS
    resources:
        testbed=1,
    localrule: True
    shell:
        "{input.program:q} calibrate {params.arguments} --conditions {input.conditions:q} --json"
        " >{output} 2>{log} || {{ cat {log} >&2; exit 1; }}"
