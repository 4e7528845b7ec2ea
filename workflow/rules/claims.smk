# A verdict for each claim and table.


def is_judged(name):
    # What the text states of memory (memory-latency.csv, not compressed) is not its own evidence.
    return has_runs(name) or Path(folder(name), "memory-latency.csv.gz").exists()


rule claims:
    input:
        claims="paper/claims.toml",
        tables=[file for name in TABLES if is_judged(name) for file in files_in(folder(name))],
        program=config["onesided"],
    output:
        "results/claims.csv",
    log:
        "results/log/claims.log",
    params:
        tables=" ".join(f"--table {folder(name)}" for name in TABLES if is_judged(name)),
    shell:
        "{input.program} claims --claims {input.claims} {params.tables} --out {output} >{log} 2>&1"
