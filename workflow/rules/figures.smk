# One rule draws every figure of every set of tables, alone and overlaid.
import tomllib

# What the report begins with.
FINDINGS = tomllib.loads(Path("paper/findings.toml").read_text(encoding="utf-8"))["finding"]


def narrowed(figure):
    """The levels to which the drawing of a finding is narrowed, as an option."""
    return options("--at", [one["at"] for one in FINDINGS if one["figure"] == figure and "at" in one])


def drawn(ending):
    return [f"results/figures/{folder}/{figure}.{ending}" for folder, figure in STUDY.drawing.figures]


def sets_of(wildcards):
    return [STUDY.data_sets[name] for name in STUDY.drawing.folders[wildcards.folder]]


def only(profile):
    return f"--at profile={profile}" if profile else ""


# What every figure is drawn with.
LIBRARY = [
    "figures/draw",
    "data/schema/columns.csv",
    "figures/lib/immaterial-factors.csv",
    "figures/lib/software-sources.csv",
    "data/stated/curves.csv",
    *sorted(str(path) for path in Path("figures/lib").glob("*.R")),
]


rule figure:
    input:
        script="figures/{figure}.R",
        library=LIBRARY,
        tables=lambda wildcards: [file for data in sets_of(wildcards) for file in data.files],
    output:
        report(
            "results/figures/{folder}/{figure}.svg",
            caption="../report/figure.rst",
            category="{folder}",
            labels={"figure": "{figure}"},
        ),
        multiext("results/figures/{folder}/{figure}", ".pdf", ".png", ".txt"),
    log:
        "results/log/figure/{folder}/{figure}.log",
    params:
        # What is stored is there; of own runs none may be valid, which a page then says.
        absent=lambda wildcards: "" if wildcards.folder in STUDY.config.tables else "--or-say",
        tables=lambda wildcards: ",".join(data.folder for data in sets_of(wildcards)),
        # Beside its model a machine is drawn alone.
        at=lambda wildcards: only(STUDY.drawing.only_profile(wildcards.folder)),
    wildcard_constraints:
        folder=one_of(STUDY.drawing.folders),
        figure="[a-z0-9-]+",
    localrule: True
    shell:
        "Rscript --vanilla {input.script} --tables {params.tables:q} {params.absent} {params.at}"
        " --out results/figures/{wildcards.folder}" + TOLD


# Small drawings for the report's first pages, of the study's own data.
rule small_figure:
    input:
        script="figures/{figure}.R",
        library=LIBRARY,
        tables=lambda wildcards: STUDY.data_sets["published"].files,
    output:
        multiext("results/figures/findings/{figure}", ".svg", ".txt"),
    log:
        "results/log/figure/findings/{figure}.log",
    params:
        tables=lambda wildcards: STUDY.data_sets["published"].folder,
        at=lambda wildcards: narrowed(wildcards.figure),
    wildcard_constraints:
        figure="[a-z0-9-]+",
    localrule: True
    shell:
        "Rscript --vanilla {input.script} --tables {params.tables:q} {params.at} --compact --formats svg,txt"
        " --out results/figures/findings" + TOLD


rule figures:
    input:
        drawn("svg"),
    localrule: True
