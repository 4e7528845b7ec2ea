"""What stands in a text beside the report: figures of what software ran."""

from collections import Counter
from pathlib import Path

from reporting.figures import figure_files, figure_title
from reporting.reading import rows

# The table of published runs beside those of another, in one figure.
BESIDE = "published-with-"
# What runs in place of a card; a model is no run at all.
STAND_INS = Path(__file__).resolve().parents[3] / "figures/lib/software-sources.csv"


def tables_of_software(tables):
    """Names of tables whose runs are all of software, with those of figures that draw published runs beside them."""
    names = set()
    software = {"simulated", *(row["source"] for row in rows(STAND_INS, ["source"]))}
    for name, folder in tables:
        sources = {run["source"] for run in rows(folder / "runs.csv.gz", ["source"])}
        if sources and sources <= software:
            names |= {name, BESIDE + name}
    return names


def divided(chapter, software):
    """A chapter with its drawings of the report, and with those of the appendix.

    What stands in one figure beside published or stated numbers has none of its own. The appendix has no word of what
    there is nothing to draw of: no claim waits for it.
    """
    files = chapter["files"]
    drawn = [file["table"] for file in files if not file["empty"]]
    beside = {table.removeprefix(BESIDE) for table in drawn if table.startswith(BESIDE)}
    # Sweeps of the model draw the stated numbers, too.
    if "sweeps" in drawn:
        beside.add("stated")
    files = [file for file in files if file["table"] not in beside]
    here = [file for file in files if file["table"] not in software]
    there = [file for file in files if file not in here and not file["empty"]]
    return {**chapter, "files": here}, {**chapter, "files": there}


def not_covered(paths):
    """Why runs were not simulated: how many, of which experiments."""
    found = [row for path in paths for row in rows(path, ["experiment", "why"])]
    counts = Counter(row["why"] for row in found)
    return [
        {
            "why": why, "runs": count,
            "experiments": sorted({row["experiment"] for row in found if row["why"] == why}),
        }
        for why, count in counts.most_common()
    ]


def of_the_model_alone(paths, shown):
    """Figures of simulated runs that stand beside no claim."""
    of_model = [path for path in paths if path.parent.name.endswith("-simulated")]
    names = sorted({path.stem for path in of_model if path.stem not in shown})
    drawn = {name: [file for file in figure_files(of_model, name) if not file["empty"]] for name in names}
    return [
        {"figure": name, "title": figure_title(of_model, name), "files": files} for name, files in drawn.items() if files
    ]


def told(arguments, chapters, shown):
    """What the template is given. `shown`: figures that stand beside claims."""
    return {
        "chapters": [chapter for chapter in chapters if chapter["files"]],
        "not_covered": not_covered(arguments.not_covered),
        "simulated": of_the_model_alone(arguments.figures, shown),
    }
