"""The text of the report, paper/report.md, and of its appendix, paper/appendix.md, with every number filled in.

    report.py --template paper/report.md --claims results/claims.csv
              --catalogue paper/claims.toml --manifest data/published/manifest.csv
              --tables NAME=FOLDER ... --versions results/versions.csv --out results/report.md
              --figures results/figures/NAME/*.svg ...
              --model paper/model.toml [--judged JSON...] [--predictions TABLE...]
              [--questions JSON...] [--not-covered CSV...]
              --findings paper/findings.toml [--small-figures SVG...]
              [--appendix paper/appendix.md --appendix-out results/report-appendix.md]

The template is Jinja2 and is given what `context` returns; a name that it uses
and that is not there is an error. Exit: 0 written, 2 not written.
"""

import argparse
import hashlib
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from reporting import appendix, findings, markup, model
from reporting.figures import figure_files, figure_title
from reporting.reading import Refusal, number, rows

VERDICTS = ["supported", "true-in-part", "contradicted", "too-imprecise", "not-testable"]
# Who wrote what the catalogue calls by a short name.
TEXTS = {
    "paper": "the study: Nelson and Palmieri, SRDS 2020",
    "poster-1": "the study's first poster",
    "poster-2": "the study's poster at ICDCS 2020",
    "sonuma": "Scale-Out NUMA: Novakovic and others, ASPLOS 2014; its machine is the profile `asplos14-simulated`",
    "kalia": "Kalia, Kaminsky and Andersen, USENIX ATC 2016; its machines are the profiles `atc16-cx3` (ConnectX-3) and "
             "`atc16-cib` (Connect-IB)",
    "kalia-put-in": "of the same text, numbers from which the model was made or chosen",
}
CLAIM_COLUMNS = ["id", "paper", "section", "source", "profile", "value", "low", "high", "unit",
                 "expected", "verdict", "why", "quote", "quantifier", "generous", "basis"]


def value_text(row):
    """Value and unit of a row of verdicts, with the interval of one value or the ends of several.

    Of several values the row has the median, and the lowest and highest end of all intervals; of a
    sentence in several parts it has the first part.
    """
    if row["value"] == "":
        return "–"
    value, low, high = (number(row[name]) for name in ["value", "low", "high"])
    unit, _, others = row["unit"].partition(";")
    others = others or "value of part" in row["why"]
    several = re.search(r"\bmedian of ([0-9]+) values", row["why"])
    text = f"{value} {unit}".strip()
    if several:
        text = f"median {text}"
        if low and high and low != high:
            text += f", intervals from {low} to {high}"
    elif low and high and low != high:
        text = f"{value} [{low}, {high}] {unit}".strip()
    return f"{text} (first part of the sentence)" if others else text


def counted(verdicts, keys):
    """Rows of a summary: how often each verdict occurs by the columns `keys`."""
    counts = Counter((*(row[key] for key in keys), row["verdict"]) for row in verdicts)
    groups = list(dict.fromkeys(tuple(row[key] for key in keys) for row in verdicts))
    return [
        {
            "group": group,
            "counts": [counts[(*group, verdict)] for verdict in VERDICTS],
            "sum": sum(counts[(*group, verdict)] for verdict in VERDICTS),
            "judged": any(counts[(*group, verdict)] for verdict in VERDICTS if verdict != "not-testable"),
        }
        for group in sorted(groups)
    ]


def texts(groups):
    """What the names of texts in `groups` mean, of those with a verdict."""
    names = dict.fromkeys(line["group"][0] for line in groups if line["judged"])
    return [{"name": name, "what": TEXTS[name]} for name in names if name in TEXTS]


def catalogue_entries(path):
    with path.open("rb") as file:
        try:
            return tomllib.load(file)["claim"]
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise Refusal(f"{path}: {error}") from error


OF_A_PART = re.compile(r"part (?P<part>[0-9]+) (?P<verdict>[a-z-]+): ")
FARTHEST = re.compile(r"farthest: |value (?=-?[0-9])")
MOST_PARTS = 2


def shortly(row):
    """The beginning of why a row has its verdict. Of a sentence in parts: those that decide it first."""
    # The verdict by points stands beside the verdict.
    told = [text for text in row["why"].split("; ") if not text.startswith("by points alone: ")]
    parts = [(found, text) for text in told if (found := OF_A_PART.match(text))]
    if not parts:
        return "; ".join(told[:2])
    before = told[: told.index(parts[0][1])]
    # An order that is stable: parts that decide alike stay in theirs.
    parts.sort(key=lambda part: part[0]["verdict"] != row["verdict"])
    shown, others = parts[:MOST_PARTS], parts[MOST_PARTS:]
    said = [*before, *(text for _, text in shown)]
    # The value in the row is of the first part.
    if shown[0][0]["part"] != "1":
        said += ["farthest of all parts: " + text[found.end():] for text in told if (found := FARTHEST.match(text))]
    if others:
        said.append(", ".join(f"part {found['part']} {found['verdict']}" for found, _ in others))
    return "; ".join(said)


def claims_with_rows(entries, verdicts):
    """Each entry of the catalogue with its rows of verdicts, which must be there."""
    by_id = {}
    for row in verdicts:
        by_id.setdefault(row["id"], []).append({**row, "text": value_text(row), "shortly": shortly(row)})
    claims = []
    for entry in entries:
        found = by_id.pop(entry["id"], None)
        if found is None:
            raise Refusal(f"no verdict on claim '{entry['id']}': make the verdicts again")
        claims.append({**entry, "rows": found})
    if by_id:
        raise Refusal(f"verdicts on claims that are not in the catalogue: {', '.join(by_id)}")
    return claims


def chapters(claims, paths):
    """Claims that some source can judge, in the order of the papers, by figure; those without one last."""
    judged = [
        {**claim, "rows": [
            {**row, "agrees": findings.agreeing(row)} for row in claim["rows"] if row["verdict"] != "not-testable"
        ]}
        for claim in claims
    ]
    judged = [claim for claim in judged if claim["rows"]]
    order = list(dict.fromkeys(claim["figure"] for claim in judged))
    order.sort(key=lambda name: name == "none")
    return [
        {
            "figure": name,
            "title": "Without a figure" if name == "none" else figure_title(paths, name),
            "files": figure_files(paths, name),
            "claims": [claim for claim in judged if claim["figure"] == name],
        }
        for name in order
    ]


SAYS_NOTHING = re.compile(r"[a-z-]+ data cannot speak to it")


def unjudged(claims):
    """Claims that no source can judge, by the reason: what the first source says that could have judged."""
    groups = {}
    for claim in claims:
        if any(row["verdict"] != "not-testable" for row in claim["rows"]):
            continue
        row = next((row for row in claim["rows"] if not SAYS_NOTHING.fullmatch(row["why"])), claim["rows"][0])
        # What its values would say decides nothing.
        why = row["why"].partition("; ")[0] if row["why"].startswith("no evidence: ") else row["why"]
        groups.setdefault((row["source"], why), []).append((claim, row))
    return [{"source": source, "why": why, "claims": found} for (source, why), found in groups.items()]


def sources(tables):
    """What each table holds, by profile."""
    lines = []
    for name, folder in tables:
        path = folder / "runs.csv.gz"
        runs = rows(path, ["source", "back_end", "profile", "nic", "valid", "doubts"])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        for profile in sorted({run["profile"] for run in runs}):
            of_profile = [run for run in runs if run["profile"] == profile]
            doubts = Counter(doubt for run in of_profile for doubt in run["doubts"].split())
            lines.append(
                {
                    "table": name,
                    "source": of_profile[0]["source"],
                    "back_end": of_profile[0]["back_end"],
                    "profile": profile,
                    "nic": of_profile[0]["nic"] or "not stated",
                    "runs": len(of_profile),
                    "valid": sum(run["valid"] == "true" for run in of_profile),
                    "doubts": doubts.most_common(4),
                    "sha256": digest,
                }
            )
    return lines


def disagreement(runs):
    """How often the study's estimator is above the robust one, by queue pairs."""
    groups = {"1 to 8": range(1, 9), "9 to 16": range(9, 17), "above 16": range(17, 10**6)}
    lines = []
    for name, queue_pairs in groups.items():
        ratios = sorted(
            float(run["throughput_published_ops"]) / float(run["throughput_ops"])
            for run in runs
            if run["valid"] == "true"
            and run["throughput_published_ops"]
            and run["throughput_ops"]
            and int(run["queue_pairs"]) in queue_pairs
        )
        if ratios:
            lines.append(
                {
                    "queue_pairs": name,
                    "runs": len(ratios),
                    "median": f"{100 * (ratios[len(ratios) // 2] - 1):+.1f} %",
                    "largest": f"{100 * (ratios[-1] - 1):+.0f} %",
                    "above_5": sum(ratio > 1.05 for ratio in ratios),
                    "above_20": sum(ratio > 1.2 for ratio in ratios),
                }
            )
    return lines


def context(arguments):
    verdicts = rows(arguments.claims, CLAIM_COLUMNS)
    unknown = {row["verdict"] for row in verdicts} - set(VERDICTS)
    if unknown:
        raise Refusal(f"{arguments.claims}: unknown verdicts {', '.join(sorted(unknown))}")
    tables = [(name, Path(folder)) for name, folder in arguments.tables]
    claims = claims_with_rows(catalogue_entries(arguments.catalogue), verdicts)
    statements = [claim for claim in claims if claim.get("kind") != "correction"]
    ids = {claim["id"] for claim in statements}
    published = dict(tables).get("published")
    runs = rows(published / "runs.csv.gz", ["throughput_ops"]) if published else []
    software = appendix.tables_of_software(tables)
    divided = [appendix.divided(chapter, software) for chapter in chapters(claims, arguments.figures)]
    by_paper = counted([row for row in verdicts if row["id"] in ids], ["paper", "source"])
    return {
        "verdicts": VERDICTS,
        "by_paper": by_paper,
        "texts": texts(by_paper),
        "findings": findings.told(arguments, claims),
        "chapters": [here for here, _ in divided],
        "appendix": appendix.told(arguments, [there for _, there in divided], [claim["figure"] for claim in claims]),
        "unjudged": unjudged(claims),
        "sources": sources(tables),
        "model": model.told(arguments),
        "manifest": Counter(
            row["verdict"].split(":")[0] for row in rows(arguments.manifest, ["verdict"])
        ).most_common(),
        "disagreement": disagreement(runs),
        "versions": rows(arguments.versions, ["what", "version"]),
        "digests": {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in [arguments.claims, arguments.catalogue, arguments.manifest]
        },
    }


def grouped(text):
    """What is expected, with its whole numbers as values have theirs."""
    return re.sub(r"(?<![\d.])[0-9]{4,}(?![\d.])", lambda digits: f"{int(digits[0]):,}", text)


def named(text):
    name, separator, folder = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=FOLDER")
    return name, folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["template", "claims", "catalogue", "findings", "manifest", "model", "versions", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ["appendix", "appendix-out"]:
        parser.add_argument(f"--{name}", type=Path)
    for name in ["figures", "small-figures", "judged", "predictions", "questions", "not-covered"]:
        parser.add_argument(f"--{name}", type=Path, nargs="*", default=[])
    parser.add_argument("--tables", type=named, action="append", default=[])
    arguments = parser.parse_args()
    environment = Environment(
        loader=FileSystemLoader([arguments.template.parent, Path(__file__).resolve().parents[2] / "paper"]),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=markup.plain,
    )
    environment.filters.update(markdown=markup.Markdown, code=markup.code, grouped=grouped)
    pages = [(arguments.template, arguments.out)]
    if arguments.appendix:
        pages.append((arguments.appendix, arguments.appendix_out))
    try:
        known = context(arguments)
        made = [
            (environment.from_string(template.read_text(encoding="utf-8")).render(known), out) for template, out in pages
        ]
    except (Refusal, TemplateError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    for text, out in made:
        partial = Path(f"{out}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.rename(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
