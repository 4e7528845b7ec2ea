"""Designs, as far as the workflow must know them: what they cost, and in which jobs they are done."""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal, unknown


@dataclass(frozen=True)
class Design:
    """One file of experiments/ at one level."""

    name: str
    path: str
    runs: int
    blocks: int
    seconds: int
    client_hosts: int
    figures: tuple[str, ...]

    def jobs(self, job_minutes, whole=False):
        """Ranges of blocks as `1-5`, each about `job_minutes` of warm-up and measuring.

        `whole`: one job for everything, named `all`; for a table of which only a part is to be done,
        whose blocks nobody has counted.
        """
        if whole:
            return ["all"]
        count = max(1, min(self.blocks, math.ceil(self.seconds / (60 * job_minutes))))
        ends = [self.blocks * job // count for job in range(count + 1)]
        return [f"{first + 1}-{last}" for first, last in zip(ends, ends[1:])]


def names(folder):
    """The experiments that there are."""
    return sorted(path.stem for path in Path(folder).glob("*.toml"))


def read(folder, name, level):
    """The design called `name`; stops with a Refusal naming the file."""
    path = Path(folder, f"{name}.toml")
    if not path.exists():
        raise unknown("config: experiment", name, names(folder))
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refusal(f"{path}: {error}") from error
    experiment = text.get("experiment", {})
    cost = experiment.get("cost", {}).get(level)
    if cost is None or not {"runs", "blocks", "seconds"} <= set(cost):
        raise Refusal(
            f"{path}: [experiment.cost] does not state runs, blocks and seconds of level "
            f"'{level}': `onesided expand {path} --level {level}` tells them"
        )
    return Design(
        name, str(path), cost["runs"], cost["blocks"], cost["seconds"], client_hosts(text, level),
        tuple(experiment.get("figures", [])),
    )


def client_hosts(text, level):
    """The most client hosts that a run of the level asks for."""
    change = text.get("level", {}).get(level, {})
    for part in (change, text):
        groups = [part.get("fixed", {}), part.get("factors", {}), *part.get("together", [])]
        for group in groups:
            if "client_hosts" in group:
                value = group["client_hosts"]
                return max(value) if isinstance(value, list) else value
    return 1
