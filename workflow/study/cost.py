"""What runs cost: as their design states it, or counted in the run table that it expands to."""

import csv
import math
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal

QUANTITIES = ("runs", "blocks", "seconds")


@dataclass(frozen=True)
class Cost:
    """Runs, blocks of their order, and seconds of warm-up and measuring."""

    runs: int
    blocks: int
    seconds: int

    def jobs(self, job_minutes):
        """Ranges of blocks as `1-5`, each about `job_minutes` of warm-up and measuring."""
        count = max(1, min(self.blocks, math.ceil(self.seconds / (60 * job_minutes))))
        ends = [self.blocks * job // count for job in range(count + 1)]
        return [f"{first + 1}-{last}" for first, last in zip(ends, ends[1:])]


class NotExpanded(Exception):
    """A design that the program did not expand; the message says why."""


def stated(path, experiment, level):
    """What the table `experiment` of the design at `path` states for `level`; None if nothing."""
    said = experiment.get("cost", {}).get(level)
    if said is None:
        return None
    missing = [quantity for quantity in QUANTITIES if quantity not in said]
    if missing:
        raise Refusal(
            f"{path}: [experiment.cost] lacks {', '.join(missing)} of level '{level}': state "
            "it, or remove the level there, and `onesided expand` computes its cost"
        )
    return Cost(*(said[quantity] for quantity in QUANTITIES))


def of_table(table, blocks="all"):
    """The cost of the runs of a run table that are in `blocks`: `all`, or as `1-5`."""
    with Path(table).open(newline="", encoding="utf-8") as file:
        return counted(csv.DictReader(file), blocks)


def expanded(program, design, level):
    """The cost of the design, a file, counted in what `program expand` prints; or NotExpanded."""
    if not Path(program).is_file():
        raise NotExpanded(f"there is no {program} yet")
    command = [Path(program).resolve(), "expand", design, "--level", level]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotExpanded(f"{program}: {error.strerror}") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.split())
        raise NotExpanded(said or f"{program} ended with {done.returncode}")
    try:
        its = counted(csv.DictReader(done.stdout.splitlines()))
    except (KeyError, ValueError):
        its = None
    if not its or not its.runs:
        raise NotExpanded(f"{program} printed no run table")
    return its


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
