"""What the explorer has of the tables: runs of all sources, their windows, verdicts and the runs behind them."""

import csv
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from reporting.markup import printable
from reporting.reading import Refusal, rows

from .pack import Codes, Hashes, Lists, Numbers, Texts
from .summary import STUDY

# What names a run among all.
NAME = ["profile", "experiment", "run_id"]
CLAIM = ["id", "paper", "section", "source", "profile", "value", "low", "high", "unit", "expected", "verdict",
         "generous", "why", "quote", "basis"]
CELL = ["id", "source", "profile", "part", "at", "value", "low", "high", "unit", "measure", "measure_unit", "expected",
        "answer", "interval_from", "runs", "over_runs"]
# Tables of windows, and what each counts in one.
TRACES = [("traces.csv.gz", "throughput_ops"), ("windows.csv.gz", "operations")]
# Of a column that the explorer fills where tables do not.
MEANINGS = {"status": "Of the study's runs what is in the file: ok, all-zero or empty. Of others how the run ended: valid, doubtful "
                      "(valid, with doubts) or invalid."}
# A column of numbers with more levels is one of measurements, not of settings.
MOST_LEVELS = 4096


@dataclass(frozen=True)
class Column:
    """What data/schema/columns.csv says of a column."""

    name: str
    role: str
    kind: str
    words: list
    unit: str
    label: str
    meaning: str


def described(folder):
    """The columns of tables of runs, by name, in their order: those that all have, then those of the study."""
    schema = json.loads((folder / "published-runs-table.json").read_text(encoding="utf-8"))["properties"]
    columns = {}
    for row in rows(folder / "columns.csv", ["table", "column", "role", "kind", "words", "unit", "label"]):
        if row["table"] in ("runs", "published-runs"):
            name = row["column"]
            meaning = schema.get(name, {}).get("description", "").replace("\n", " ")
            column = Column(name, row["role"], row["kind"], row["words"].split(), row["unit"], row["label"], meaning)
            columns.setdefault(name, column)
    del columns["schema_version"]
    return columns


def immaterial(path, columns):
    """The factors by which runs that are laid over each other may differ, each with the levels of a run, as pairs of column
    and word, with which it matters all the same."""
    named = {row["factor"]: [level.split("=") for level in row["unless"].split()] for row in rows(path, ["factor", "unless", "reason"])}
    for name, levels in named.items():
        if name not in columns:
            raise Refusal(f"{path}: there is no factor {name}; data/schema/columns.csv has those of runs")
        for column, word in levels:
            if column not in columns or word not in columns[column].words:
                raise Refusal(f"{path}: {name} has the level {column}={word}, which no run can have")
    return named


def software(path, columns):
    """The sources whose speed is that of software on some host, each with its reason; figures read the same file."""
    named = {row["source"]: row["reason"] for row in rows(path, ["source", "reason"])}
    for name in named:
        if name not in columns["source"].words:
            raise Refusal(f"{path}: there is no source {name}; data/schema/columns.csv has those of runs")
    return named


def read_runs(folders, columns):
    """The runs of all folders, in their order, with the folder's name as `set`."""
    runs = []
    for name, folder in folders.items():
        found = rows(folder / "runs.csv.gz", ["source", *NAME])
        unknown = sorted({column for row in found[:1] for column in row} - {*columns, "schema_version"})
        if unknown:
            raise Refusal(f"{folder}/runs.csv.gz has columns that data/schema/columns.csv does not know: {', '.join(unknown)}")
        for row in found:
            row["set"] = name
        runs += found
    return runs


# What a run has whose cell of doubts is empty: that is no missing value.
NO_DOUBTS = "no doubts"


def value_of(text, column):
    """A cell as the page has it; missing is None, and text has nothing that controls a terminal."""
    if text is None:
        return None
    if text == "":
        return NO_DOUBTS if column.name == "doubts" else None
    if column.kind != "number":
        return printable(text)
    try:
        return float(text)
    except ValueError:
        raise Refusal(f"runs.csv.gz: {column.name} is '{printable(text)}', which is no number") from None


def cell_of(run, column):
    """A run's cell; of a run that is not the study's, whose files alone have a `status`, how it ended, in words of records."""
    if column.name == "status" and run["source"] != STUDY and run.get("valid"):
        return "invalid" if run["valid"] != "true" else "doubtful" if run.get("doubts") else "valid"
    return value_of(run.get(column.name), column)


def ordered(values, column):
    """The levels of a column: words in the schema's order, numbers by size, other text by the alphabet."""
    levels = {value for value in values if value is not None}
    if column.words:
        return [word for word in column.words if word in levels] + sorted(levels - set(column.words))
    return sorted(levels)


def plain_number(value):
    return int(value) if value == int(value) else value


def run_columns(runs, columns, with_windows):
    """The columns of runs that have a value somewhere; `with_windows` are the places of runs that have a trace."""
    made = []
    for column in columns.values():
        values = [cell_of(run, column) for run in runs]
        if all(value is None for value in values):
            continue
        about = {"role": column.role, "label": column.label, "unit": column.unit, "meaning": MEANINGS.get(column.name, column.meaning)}
        if column.name == "doubts":
            # A run may have several, separated by spaces.
            about["is_list"] = True
        if column.name in ("run_id", "raw_path", "duplicate_of"):
            made.append(Texts(column.name, values, **about))
        elif column.name == "raw_sha256":
            made.append(Hashes(column.name, values, **about))
        elif column.kind == "number" and column.role != "factor":
            made.append(Numbers(column.name, values, **about))
        else:
            levels = ordered(values, column)
            if len(levels) > MOST_LEVELS:
                raise Refusal(f"{column.name} has {len(levels)} levels; the explorer takes {MOST_LEVELS} of a factor")
            if column.kind == "number":
                about["is_number"] = True
                levels = [plain_number(level) for level in levels]
            made.append(Codes(column.name, values, levels, **about))
    names = list(dict.fromkeys(run["set"] for run in runs))
    made.append(Codes("set", [run["set"] for run in runs], names, role="identity", label="", unit="",
                      meaning="The folder of tables that has the run."))
    stored = ["stored" if place in with_windows else "not stored" for place in range(len(runs))]
    made.append(Codes("windows", stored, ["stored", "not stored"], role="identity", label="", unit="",
                      meaning="Whether the operations of each counting window are in this page."))
    return made


def places(runs):
    """The row of each run, by source and then `profile/experiment/run_id`."""
    found = {}
    for index, run in enumerate(runs):
        name = (run["source"], "/".join(run[part] for part in NAME))
        if name in found:
            raise Refusal(f"two tables have the {name[0]} run {name[1]}: leave one of them out")
        found[name] = index
    return found


def read_windows(folders, place):
    """Of each run with a trace the start of its windows in ms, and operations per second in each, as rows."""
    traces = []
    for folder in folders.values():
        for file, counted in TRACES:
            path = folder / file
            if not path.exists():
                continue
            of_run = defaultdict(lambda: defaultdict(float))
            for row in rows(path, ["source", *NAME, "start_ns", counted]):
                run = place.get((row["source"], "/".join(row[part] for part in NAME)))
                if run is not None:
                    of_run[run][float(row["start_ns"]) / 1e6] += float(row[counted] or 0)
            for run, windows in of_run.items():
                starts = sorted(windows)
                # What is counted in a window is a number of operations, of the study's a rate.
                # The smallest gap: a window may be missing.
                gaps = [after - before for before, after in zip(starts, starts[1:])]
                wide = min(gaps) / 1e3 if gaps else None
                by = wide if counted == "operations" else 1
                if by:
                    traces += [(run, start, round(windows[start] / by)) for start in starts]
    traces.sort()
    return traces


def window_columns(traces):
    runs = [run for run, _, _ in traces]
    first = sorted(set(runs))
    return len(traces), [
        Codes("run", runs, first),
        Numbers("start_ms", [start for _, start, _ in traces]),
        Numbers("operations_per_second", [rate for _, _, rate in traces]),
    ]


def text_columns(table, names, numbers):
    """Columns of a table of words: texts as levels, since most repeat; `numbers` as such."""
    made = []
    for name in names:
        if name in numbers:
            made.append(Numbers(name, [float(row[name]) if row[name] else None for row in table]))
        else:
            values = [printable(row[name]) or None for row in table]
            made.append(Codes(name, values, sorted({value for value in values if value is not None})))
    return made


def claim_columns(path):
    table = rows(path, CLAIM)
    return len(table), text_columns(table, CLAIM, ["value", "low", "high"])


def cell_columns(path, place):
    """The values behind verdicts, with the runs behind them as places in the table of runs."""
    table = rows(path, CELL)
    made = text_columns(table, CELL[:-2], ["part", "value", "low", "high"])
    for column in ["runs", "over_runs"]:
        made.append(Lists(column, [named(row, column, place, path) for row in table]))
    return len(table), made


def named(row, column, place, path):
    found = [place.get((row["source"], name)) for name in row[column].split()]
    if None in found:
        name = row[column].split()[found.index(None)]
        raise Refusal(f"{path}: {row['id']} names the {row['source']} run {name}, which no table has: write it anew "
                      "with `onesided claims --cells`")
    return sorted(found)


def doubts(path):
    """What each doubt means, by its word."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return {row["doubt"]: row["meaning"] for row in csv.DictReader(file)}
