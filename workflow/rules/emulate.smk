# Runs on machines that are emulated, wholly or by their card: in virtual machines that the lab
# boots, with Soft-RoCE between them; and on this machine, over a remote memory controller in
# software.

LEFT_OUT = "results/plan/{profile}/{level}/left-out.txt"


def left_out(profile):
    """What this machine cannot do of a profile's runs."""
    return LEFT_OUT.format(profile=profile, level=STUDY.config.level)


def hop_delay(profile):
    """A profile may say how long a hop takes."""
    hop_ns = STUDY.profiles[profile].hop_ns
    return f"--hop-delay {round(hop_ns)}ns" if hop_ns else ""


def fabric_share(what):
    """At level=smoke an experiment of the fabric shows that it runs, within seconds."""
    if STUDY.config.level != "smoke":
        # Caches hold the first memories, and none of this machine's the others.
        return f"--buffer-bytes 256KiB,{beyond_caches()} --duration 300ms" if what == "reads" else ""
    graph = "--scale 12 --supersteps 3 " if what == "pagerank" else ""
    return f"{graph}--replicates 1"


def beyond_caches():
    """Twice the largest cache of this machine, as `memory` of the command is, or the 64 MiB that claims ask for."""
    caches = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cache/index[0-9]*/size")
    sizes = (cache.read_text().strip().removesuffix("K") for cache in caches)
    mebibytes = (-(-int(size) // 1024) for size in sizes if size.isdigit())
    return f"{max(64, 2 * max(mebibytes, default=0))}MiB"


use rule measure as soft_roce with:
    input:
        table=rules.design.output.table,
        script=ancient("workflow/scripts/measure"),
        launchers=ancient(files_below("workflow/launch", "ci/lab.d") + ["ci/lab"]),
        program=ancient(PROGRAM),
    log:
        "results/log/soft-roce/{profile}/{level}/{experiment}/{design}/{blocks}{accepted}.log",
    wildcard_constraints:
        profile=one_of(STUDY.of_source("soft-roce")),
        blocks="all|[0-9]+-[0-9]+",
        design="[0-9a-f]{8}",
        accepted="|[.]accepted",
    threads: CPUS
    resources:
        launch="lab",
        testbed=1,
        nodes=hosts,
    localrule: True


# Of a design those runs that both sides can do on this machine.
use rule design as design_here with:
    input:
        design="experiments/{experiment}.toml",
        program=ancient(PROGRAM),
        script=ancient("workflow/launch/rmc.d/controller"),
    output:
        table="results/plan/{profile}/{level}/{experiment}/runs.csv",
        left_out="results/plan/{profile}/{level}/{experiment}/left-out.csv",
    params:
        seed=STUDY.config.seed,
        # By a function: in a plain string Snakemake would look for wildcards.
        only=lambda wildcards: options("--only", STUDY.config.only),
        possible=lambda wildcards, input, output: (
            f"--possible-here $({input.script}) --left-out {output.left_out}"
        ),
    wildcard_constraints:
        profile=one_of(EMULATED),
        level="full|reproduce|smoke",
    localrule: True


rule left_out:
    input:
        script="workflow/scripts/left-out",
        designs=[f"results/plan/{{profile}}/{{level}}/{name}/left-out.csv" for name in STUDY.designs],
    output:
        LEFT_OUT,
    log:
        "results/log/left-out/{profile}/{level}.log",
    wildcard_constraints:
        profile=one_of(EMULATED),
        level="full|reproduce|smoke",
    localrule: True
    shell:
        # Told where the workflow runs, once.
        "{input.script} {input.designs} 2>{log} >{output} && cat {output} >&2"


use rule measure as emulate with:
    input:
        table=rules.design.output.table,
        script=ancient("workflow/scripts/measure"),
        launchers=ancient(files_below("workflow/launch")),
        program=ancient(PROGRAM),
    log:
        "results/log/emulate/{profile}/{level}/{experiment}/{design}/{blocks}{accepted}.log",
    wildcard_constraints:
        profile=one_of(EMULATED),
        blocks="all",
        design="[0-9a-f]{8}",
        accepted="|[.]accepted",
    params:
        fabric=lambda wildcards: f"--hop-delay-of {wildcards.profile}" if hop_delay(wildcards.profile) else "",
    # All of them: what is done beside a measurement is in its numbers.
    threads: CPUS
    resources:
        launch="rmc",
        testbed=1,
        nodes=hosts,
    localrule: True


# Scale-Out NUMA's own experiments, which are of the fabric and no design's.
rule fabric:
    input:
        program=ancient(PROGRAM),
    output:
        "results/tables/{profile}/fabric-{what}.csv.gz",
    log:
        "results/log/fabric/{profile}/{what}.log",
    params:
        hop_delay=lambda wildcards: hop_delay(wildcards.profile),
        share=lambda wildcards: fabric_share(wildcards.what),
    wildcard_constraints:
        profile=one_of(EMULATED),
        what="reads|messages|pagerank",
    threads: CPUS
    resources:
        testbed=1,
    localrule: True
    shell:
        "{input.program:q} fabric {wildcards.what} --profile {wildcards.profile} {params.hop_delay}"
        " {params.share} --out {output}" + TOLD
