# A verdict for each claim and set of tables.

JUDGED = [data for data in STUDY.data_sets.values() if data.is_judged]


rule claims:
    input:
        claims="paper/claims.toml",
        tables=[file for data in JUDGED for file in data.files],
        program=PROGRAM,
    output:
        verdicts=report("results/claims.csv", caption="../report/claims.rst", category="verdicts"),
        cells="results/claim-cells.csv.gz",
    log:
        "results/log/claims.log",
    params:
        tables=options("--table", (data.folder for data in JUDGED)),
    localrule: True
    shell:
        "{input.program:q} claims --claims {input.claims} {params.tables} --out {output.verdicts} --cells {output.cells}" + TOLD
