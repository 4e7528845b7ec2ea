# A verdict for each claim and table.


rule claims:
    input:
        claims="paper/claims.toml",
        tables=[file for name in TABLES if has_runs(name) for file in files_in(folder(name))],
        program=config["onesided"],
    output:
        "results/claims.csv",
    log:
        "results/log/claims.log",
    params:
        tables=" ".join(f"--table {folder(name)}" for name in TABLES if has_runs(name)),
    shell:
        "{input.program} claims --claims {input.claims} {params.tables} --out {output} >{log} 2>&1"
