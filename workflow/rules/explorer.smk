# The explorer: one page that shows every run behind figures and verdicts.

EXPLORED = [data for data in STUDY.data_sets.values() if data.has_runs]


def seen_from_the_page(folder):
    return str(Path(folder).relative_to("results"))


rule explorer:
    input:
        script="workflow/scripts/explorer.py",
        parts=sorted(str(path) for path in Path("workflow/scripts/exploring").glob("*.py")),
        page=sorted(str(path) for path in Path("paper/explorer").iterdir()),
        schema=multiext("data/schema/", "columns.csv", "doubts.csv", "published-runs-table.json"),
        immaterial="figures/lib/immaterial-factors.csv",
        claims=rules.claims.output.verdicts,
        cells=rules.claims.output.cells,
        tables=[file for data in EXPLORED for file in data.files],
    output:
        report("results/explorer.html", caption="../report/explorer.rst", category="report"),
    log:
        "results/log/explorer.log",
    params:
        tables=options("--tables", (f"{data.name}={data.folder}" for data in EXPLORED)),
        raw=options(
            "--raw", (f"{name}={seen_from_the_page(runs.raw)}" for name, runs in STUDY.run_sets.items())
        ),
    localrule: True
    shell:
        "python3 {input.script} {params.tables} {params.raw} --claims {input.claims} --cells {input.cells}"
        " --schema data/schema --immaterial {input.immaterial} --views paper/explorer/views.toml"
        " --page paper/explorer --out {output}" + TOLD
