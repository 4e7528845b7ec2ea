"""The fewest runs of a run table, or nearly, in which every level of every factor occurs.

    every_level.py TABLE OUT

Writes to OUT, in the order of TABLE, of each experiment the runs that together have each value of each column
that its runs differ in (a greedy cover: the next run is the one with the most values that no run before it
had, the first of equals). Prints a line "EXPERIMENT NUMBER" for each experiment that has more runs than that,
with how many more.
"""

import csv
import sys

# What names a run or its turn, and is no level of a factor.
NAMES = {"run_id", "replicate", "seed", "block", "order"}


def cover(rows):
    """Indices of rows in which every level occurs."""
    columns = [name for name in rows[0] if name not in NAMES]
    levels = [{(name, row[name]) for name in columns} for row in rows]
    missing, chosen = set.union(*levels), []
    while missing:
        best = max(range(len(rows)), key=lambda index: len(levels[index] & missing))
        missing -= levels[best]
        chosen.append(best)
    return chosen


def main():
    table, out = sys.argv[1:]
    with open(table, newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        fields, rows = reader.fieldnames, list(reader)
    experiments = {}
    for row in rows:
        experiments.setdefault(row["experiment"], []).append(row)
    kept = set()
    for name, runs in experiments.items():
        chosen = cover(runs)
        kept.update(runs[index]["run_id"] for index in chosen)
        if len(chosen) < len(runs):
            print(name, len(runs) - len(chosen))
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in rows if row["run_id"] in kept)


if __name__ == "__main__":
    main()
