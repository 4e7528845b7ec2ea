"""The report's part about the model: how good its predictions are, and where they fail."""

import json
import tomllib
from statistics import median

from .figures import figure_files, figure_title
from .reading import Refusal, rows

# What is drawn of predictions, in the order of the report.
FIGURES = ["predicted-against-measured", "prediction-errors", "prediction-signs"]

NEEDED = ["profile", "role", "why", "predicted", "relative_error"]


# Between a number and its unit, which stay on one line.
NARROW = "\u00a0"


def percent(part):
    return "" if part is None else f"{100 * part:.1f}{NARROW}%"


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refusal(f"{path}: {error}") from error


def catalogue(path):
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
        return text["miss"], text["question"], text["failure"]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error}") from error


def judged_line(judged):
    """What predictions amount to, as cells of a table."""
    pairs, right = judged["significant_pairs"], judged["right_pairs"]
    return {
        "points": judged["points"],
        "median": percent(judged["median_error"]),
        "p90": percent(judged["p90_error"]),
        "pairs": pairs,
        "right": f"{right}{NARROW}({100 * right / pairs:.0f}{NARROW}%)" if pairs else "–",
    }


def machines(judged):
    """A line for each machine, of what was held out and of what was fitted to."""
    return [
        {
            "profile": one["profile"],
            "split": one["held_out"],
            "held_out": judged_line(one["on_held_out"]),
            "fitted": judged_line(one["on_fitted"]),
        }
        for one in judged
    ]


def without_model(judged):
    """Of each machine what was held out, and of that what load moves: by the model and by what needs none."""
    lines = []
    for one in judged:
        for what, key in [("all", "beside"), ("moved by workers or load", "moved_by_load")]:
            ways = {"the model": one[key]["model"]}
            if baselines := one[key]["baselines"]:
                ways["the nearest neighbour"] = baselines["nearest_neighbour"]
                ways["a log-linear fit"] = baselines["log_linear"]
            lines += [
                {
                    "profile": one["profile"], "what": what, "way": way, "error": found["median_error"],
                    **judged_line(found),
                }
                for way, found in ways.items() if found and found["points"]
            ]
    return lines


def no_better(lines):
    """Machines of which a guess that needs no model has the smaller median error."""
    by_model = {line["profile"]: line for line in lines if (line["what"], line["way"]) == ("all", "the model")}
    worse = []
    for line in lines:
        model = by_model.get(line["profile"])
        if line["what"] == "all" and model and line["error"] < model["error"]:
            worse.append({**line, "model": model["median"]})
    return worse


def nothing_moved(judged):
    """Machines of which no held-out point is moved by load."""
    return [one["profile"] for one in judged if not one["moved_by_load"]["model"]["points"]]


def unused(table):
    """Conditions of no use, by machine and reason, with how far off the model is where it says something."""
    groups = {}
    for row in table:
        if row["why"]:
            groups.setdefault((row["profile"], row["role"], row["why"]), []).append(row)
    lines = []
    for (profile, role, why), found in groups.items():
        errors = [float(row["relative_error"]) for row in found if row["predicted"]]
        lines.append(
            {
                "profile": profile, "role": role.replace("-", " "), "why": why, "conditions": len(found),
                "predicted": len(errors), "above": sum(error > 0 for error in errors),
                "median": percent(median(map(abs, errors))) if errors else "–",
            }
        )
    return sorted(lines, key=lambda line: (line["profile"], line["role"], -line["conditions"]))


def fits(row, entry):
    """Whether a point is one of those that an entry of the catalogue is about."""
    if row["profile"] != entry["profile"]:
        return False
    for column, value in entry["where"].items():
        if column not in row:
            raise Refusal(f"failure '{entry['title']}': predictions have no column {column}")
        values = value if isinstance(value, list) else [value]
        if row[column] not in [str(each) for each in values]:
            return False
    return True


def failure_line(entry, points, miss):
    errors = [abs(float(row["relative_error"])) for row in points]
    return {
        "profile": entry["profile"], "title": entry["title"], "why": entry["why"],
        "points": len(errors), "misses": sum(error > miss for error in errors),
        "median": percent(median(errors)), "largest": percent(max(errors)),
    }


def failures(table, entries, miss):
    """A line for each known failure that has points, and how many misses are of none of them.

    A point counts for the first entry that fits it.
    """
    groups = {entry["title"] + entry["profile"]: [] for entry in entries}
    others = []
    for row in table:
        if row["role"] != "held-out":
            continue
        entry = next((entry for entry in entries if fits(row, entry)), None)
        (others if entry is None else groups[entry["title"] + entry["profile"]]).append(row)
    found = [(entry, groups[entry["title"] + entry["profile"]]) for entry in entries]
    lines = [failure_line(entry, points, miss) for entry, points in found if points]
    unexplained = sum(abs(float(row["relative_error"])) > miss for row in others)
    return {"miss": percent(miss), "lines": lines, "others": len(others), "unexplained": unexplained}


def questions(paths, entries):
    """Harder questions with their answers, in the order of the catalogue."""
    answers = {path.stem: read_json(path) for path in paths}
    lines = [
        {**entry, "judged": judged_line(answers.pop(entry["name"])["on_held_out"])}
        for entry in entries if entry["name"] in answers
    ]
    if answers:
        raise Refusal(f"answers to questions that are not asked: {', '.join(answers)}")
    return lines


def told(arguments):
    """What the template is given."""
    miss, asked, known = catalogue(arguments.model)
    table = [row for path in arguments.predictions for row in rows(path, NEEDED)]
    judged = [read_json(path) for path in arguments.judged]
    beside = without_model(judged)
    return {
        "machines": machines(judged),
        "without_model": beside,
        "no_better": no_better(beside),
        "nothing_moved": nothing_moved(judged),
        "unused": unused(table),
        "failures": failures(table, known, miss),
        "questions": questions(arguments.questions, asked),
        "figures": [
            {
                "figure": name, "title": figure_title(arguments.figures, name),
                "files": figure_files(arguments.figures, name),
            }
            for name in FIGURES
        ],
    }
