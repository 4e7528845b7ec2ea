"""What runs cost: counted in their run table."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Runs, blocks of their order, and seconds of warm-up and measuring."""

    runs: int
    blocks: int
    seconds: int


def of_table(table, blocks="all"):
    """The cost of the runs of a run table that are in `blocks`: `all`, or as `1-5`."""
    with Path(table).open(newline="", encoding="utf-8") as file:
        return counted(csv.DictReader(file), blocks)


def counted(rows, blocks="all"):
    """The cost of those of the rows of a run table that are in `blocks`."""
    if blocks != "all":
        first, last = map(int, blocks.split("-"))
        rows = (row for row in rows if first <= int(row["block"]) <= last)
    runs, seen, running_ms = 0, set(), 0
    for row in rows:
        runs += 1
        seen.add(row["block"])
        running_ms += int(row["warm_up_ms"]) + int(row["duration_ms"])
    return Cost(runs, len(seen), math.ceil(running_ms / 1000))
