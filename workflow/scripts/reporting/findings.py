"""The report's beginning: what was found, what it means, and what is not known."""

import math
import re
import tomllib

from .figures import described
from .reading import Refusal, number


def catalogue(path):
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
        return [text[key] for key in ["question", "short", "answer", "finding", "placement", "unknown"]]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error}") from error


def rows_of(names, claims, where, source="published"):
    """Each claim that is named, with its verdict on the stored tables."""
    known = {claim["id"]: claim for claim in claims}
    found = []
    for name in names:
        if name not in known:
            raise Refusal(f"{where}: there is no claim '{name}' in the catalogue of claims")
        found += [
            (known[name], {**row, "short": short_value(row) + deciding_mean(row), "instead": instead(row),
                           "agrees": agreeing(row)})
            for row in known[name]["rows"] if row["source"] == source
        ]
    return found


# Which values a sentence is about: as onesided claims counts them.
OF_VALUES = {"all": "all", "typically": "most", "up-to": "largest", "at-least-one": "one"}


def agreeing(row):
    """What the values of a row must be for the sentence to hold; of one in parts, their bounds alone."""
    if ";" in row["expected"]:
        return row["expected"]
    bounds = row["expected"].replace("at most", "≤").replace("at least", "≥")
    return f"{OF_VALUES[row['quantifier']]} {bounds}"


OTHERWISE = re.compile(r"certainly fails: it is (larger|smaller)")


def instead(row):
    """On which side of the sentence the data are that contradict it, where that is said."""
    found = OTHERWISE.search(row["why"]) if row["verdict"] == "contradicted" else None
    return f": the effect is {found[1]}" if found else ""


MEAN = re.compile(r"their mean, (?P<value>[^ ,]+)(?: \[(?P<low>[^,]+), (?P<high>[^\]]+)\])?, certainly")


def deciding_mean(row):
    """The mean of the values where it decides: it may be sure where none of them is."""
    found = MEAN.search(row["why"])
    # Of a sentence in parts it may be that of another part than the value's.
    if not found or "part 2" in row["why"]:
        return ""
    ends = f" ({number(found['low'])} to {number(found['high'])})" if found["low"] else ""
    return f"; mean {number(found['value'])}{ends}"


def short_value(row):
    """Value and interval, or the ends of several, to the digits that the interval has."""
    if row["value"] == "":
        return "–"
    unit, _, others = row["unit"].partition(";")
    others = others or "value of part" in row["why"]
    count = re.search(r"\bmedian of ([0-9]+) values", row["why"])
    several = f"median of {count[1]}: " if count else ""
    of_first = " (first part of the sentence)" if others else ""
    if row["low"] == "" or row["high"] == "" or float(row["low"]) >= float(row["high"]):
        return f"{several}{number(row['value'])} {unit}{of_first}"
    value, low, high = (float(row[name]) for name in ["value", "low", "high"])
    digits = max(0, -math.floor(math.log10((high - low) / 6)))
    value, low, high = (f"{round(each, digits) + 0:,.{digits}f}" for each in [value, low, high])
    return f"{several}{value} ({low} to {high}) {unit}{of_first}"


def told(arguments, claims):
    """What the template is given."""
    question, short, answer, findings, placement, unknown = catalogue(arguments.findings)
    small = {path.stem: path for path in arguments.small_figures}

    def drawn(name):
        if name not in small:
            return None
        _, seen, notes = described(small[name])
        return {"path": str(small[name]), "alt": seen, "note": " ".join(notes)}

    where = arguments.findings
    return {
        "question": question,
        "short": short,
        "answer": answer,
        "findings": [
            {**one, "rows": rows_of(one["claims"], claims, where), "file": drawn(one["figure"])}
            for one in findings
        ],
        "placement": placement,
        "unknown": [{**one, "rows": rows_of(one["claims"], claims, where)} for one in unknown],
    }
