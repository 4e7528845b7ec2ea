# One rule draws every figure of every set of tables, alone and overlaid.


def drawn(ending):
    return [f"results/figures/{folder}/{figure}.{ending}" for folder, figure in STUDY.drawn]


def sets_of(wildcards):
    return [STUDY.data_sets[name] for name in STUDY.drawn_from[wildcards.folder]]


rule figure:
    input:
        script="figures/{figure}.R",
        library=sorted(str(path) for path in Path("figures/lib").glob("*.R")),
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
    wildcard_constraints:
        folder=one_of(STUDY.drawn_from),
        figure="[a-z0-9-]+",
    localrule: True
    shell:
        "Rscript --vanilla {input.script} --tables {params.tables} {params.absent}"
        " --out results/figures/{wildcards.folder}" + TOLD


rule figures:
    input:
        drawn("svg"),
    localrule: True
