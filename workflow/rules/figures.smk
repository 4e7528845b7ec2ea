# One rule draws every figure of every table.

def drawn(ending):
    return [
        f"results/figures/{name}/{figure}.{ending}"
        for name, table in TABLES.items()
        for figure in table["figures"]
    ]


rule figure:
    input:
        script="figures/{figure}.R",
        library=sorted(str(path) for path in Path("figures/lib").glob("*.R")),
        tables=lambda wildcards: files_in(folder(wildcards.table)),
    output:
        multiext("results/figures/{table}/{figure}", ".pdf", ".svg", ".png"),
    log:
        "results/log/figure/{table}/{figure}.log",
    params:
        tables=lambda wildcards: folder(wildcards.table),
    shell:
        "Rscript --vanilla {input.script} --tables {params.tables}"
        " --out results/figures/{wildcards.table} >{log} 2>&1"


rule figures:
    input:
        drawn("svg"),
