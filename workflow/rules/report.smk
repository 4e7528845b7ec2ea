# The report: one Markdown text, in which every number is computed, as HTML and PDF; and the explorer.


rule versions:
    input:
        script="workflow/scripts/versions",
        program=PROGRAM,
    output:
        "results/versions.csv",
    log:
        "results/log/versions.log",
    localrule: True
    shell:
        "{{ {input.script} {input.program:q} >{output}; }}" + TOLD


def listed(option, files):
    """An option with all of its files; nothing where there are none."""
    return f"{option} {' '.join(files)}" if files else ""


def small_figures():
    """Drawings of the findings, where the study's own data are among the tables."""
    if "published" not in STUDY.data_sets:
        return []
    return [f"results/figures/findings/{one['figure']}.svg" for one in FINDINGS]


# Figures of what software ran are in a text of their own, where anything ran.
PAGES = ["report", *(["report-appendix"] if STUDY.run_sets else [])]
APPENDIX = "--appendix paper/appendix.md --appendix-out results/report-appendix.md" if len(PAGES) > 1 else ""
EACH_PAGE = "( for page in {params.pages}; do "
NEXT_PAGE = " || exit 1; done )"


rule report_text:
    input:
        script="workflow/scripts/report.py",
        parts=sorted(str(path) for path in Path("workflow/scripts/reporting").glob("*.py")),
        model="paper/model.toml",
        judged=[f"results/tables/{name}-predicted/judged.json" for name in STUDY.predicted],
        predictions=[f"results/tables/{name}-predicted/predictions.csv.gz" for name in STUDY.predicted],
        questions=[f"results/model/{name}.json" for name in STUDY.questions],
        not_covered=[file for runs in simulated_sets() for file in simulated(LIST_NOT_COVERED, runs)],
        template="paper/report.md",
        templates=["paper/appendix.md", "paper/drawing.md"],
        software="figures/lib/software-sources.csv",
        claims=rules.claims.output.verdicts,
        catalogue="paper/claims.toml",
        findings="paper/findings.toml",
        manifest="data/published/manifest.csv",
        versions=rules.versions.output,
        tables=[file for data in STUDY.data_sets.values() if data.has_runs for file in data.files],
        figures=drawn("svg"),
        texts=drawn("txt"),
        small=small_figures(),
    output:
        report="results/report.md",
        others=[f"results/{page}.md" for page in PAGES[1:]],
    log:
        "results/log/report-text.log",
    params:
        tables=options(
            "--tables", (f"{data.name}={data.folder}" for data in STUDY.data_sets.values() if data.has_runs)
        ),
        model=lambda wildcards, input: " ".join(
            listed(f"--{name.replace('_', '-')}", input.get(name))
            for name in ["judged", "predictions", "questions", "not_covered"]
        ),
        small=lambda wildcards, input: listed("--small-figures", input.get("small")),
        appendix=APPENDIX,
    localrule: True
    shell:
        "python3 {input.script} --template {input.template} --claims {input.claims}"
        " --catalogue {input.catalogue} --findings {input.findings} {params.small} --manifest {input.manifest} {params.tables}"
        " --model {input.model} {params.model} --versions {input.versions} --out {output.report} {params.appendix}"
        " --figures {input.figures}" + TOLD


rule report_html:
    input:
        text=[f"results/{page}.md" for page in PAGES],
        style="paper/report.css",
        script="workflow/scripts/typeset.py",
        filter="paper/report.lua",
    output:
        report("results/report.html", caption="../report/report.rst", category="report"),
        [f"results/{page}.html" for page in PAGES[1:]],
    log:
        "results/log/report-html.log",
    params:
        pages=PAGES,
    localrule: True
    shell:
        EACH_PAGE + "python3 {input.script} --text results/$page.md --style {input.style}"
        " --out results/$page.html" + NEXT_PAGE + TOLD


rule report_pdf:
    input:
        text=[f"results/{page}.md" for page in PAGES],
        style="paper/report.typ",
        script="workflow/scripts/typeset.py",
        filter="paper/report.lua",
    output:
        [f"results/{page}.pdf" for page in PAGES],
    log:
        "results/log/report-pdf.log",
    params:
        pages=PAGES,
    localrule: True
    shell:
        EACH_PAGE + "python3 {input.script} --text results/$page.md --style {input.style}"
        " --out results/$page.pdf" + NEXT_PAGE + TOLD


# The explorer: one page that shows every run behind figures and verdicts.
EXPLORED = [data for data in STUDY.data_sets.values() if data.has_runs]


def lists_of_left_out():
    """Runs of experiments that this machine cannot do."""
    names = ((name, experiment) for name in EMULATED for experiment in STUDY.run_sets[name].designs)
    return [f"results/plan/{name}/{STUDY.config.level}/{experiment}/left-out.csv" for name, experiment in names]


def seen_from_the_page(folder):
    return str(Path(folder).relative_to("results"))


rule explorer:
    input:
        script="workflow/scripts/explorer.py",
        parts=[
            "workflow/scripts/reporting/markup.py",
            "workflow/scripts/reporting/reading.py",
            *sorted(str(path) for path in Path("workflow/scripts/exploring").glob("*.py")),
        ],
        page=sorted(str(path) for path in Path("paper/explorer").iterdir()),
        schema=multiext("data/schema/", "columns.csv", "doubts.csv", "published-runs-table.json"),
        immaterial="figures/lib/immaterial-factors.csv",
        software="figures/lib/software-sources.csv",
        claims=rules.claims.output.verdicts,
        cells=rules.claims.output.cells,
        tables=[file for data in EXPLORED for file in data.files],
        left_out=lists_of_left_out(),
    output:
        report("results/explorer.html", caption="../report/explorer.rst", category="report"),
    log:
        "results/log/explorer.log",
    params:
        tables=options("--tables", (f"{data.name}={data.folder}" for data in EXPLORED)),
        # A record may be gone, or never have been here: the page links those that are.
        raw=options(
            "--raw", (f"{data.name}={seen_from_the_page(STUDY.raw_of(data.name))}" for data in EXPLORED)
        ),
        left_out=options("--left-out", lists_of_left_out()),
    localrule: True
    shell:
        # What it has is told where the workflow runs, too.
        "python3 {input.script} {params.tables} {params.raw} {params.left_out} --claims {input.claims} --cells {input.cells}"
        " --schema data/schema --immaterial {input.immaterial} --software {input.software}"
        " --views paper/explorer/views.toml --page paper/explorer --out {output}" + TOLD + " && cat {log} >&2"


rule report:
    input:
        [f"results/{page}.{kind}" for page in PAGES for kind in ["html", "pdf"]],
        "results/explorer.html",
    localrule: True
