# One rule draws every figure of every set of tables, alone and overlaid.


def drawn(ending):
    return [f"results/figures/{folder}/{figure}.{ending}" for folder, figure in STUDY.drawing.figures]


def sets_of(wildcards):
    return [STUDY.data_sets[name] for name in STUDY.drawing.folders[wildcards.folder]]


def only(profile):
    return f"--at profile={profile}" if profile else ""


rule figure:
    input:
        script="figures/{figure}.R",
        library=[
            "figures/draw",
            "data/schema/columns.csv",
            *sorted(str(path) for path in Path("figures/lib").glob("*.R")),
        ],
        tables=lambda wildcards: [file for data in sets_of(wildcards) for file in data.files],
    output:
        report(
            "results/figures/{folder}/{figure}.svg",
            caption="../report/figure.rst",
            category="{folder}",
            labels={"figure": "{figure}"},
        ),
        multiext("results/figures/{folder}/{figure}", ".pdf", ".png"),
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


rule figures:
    input:
        drawn("svg"),
    localrule: True
