"""Designs, as far as the workflow must know them: what they state of their cost, hosts, figures."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .cost import Cost, stated
from .refusal import Refusal, unknown


@dataclass(frozen=True)
class Design:
    """One file of experiments/ at one level."""

    name: str
    path: str
    # Absent where the design does not state it.
    cost: Cost | None
    client_hosts: int
    figures: tuple[str, ...]


def names(folder):
    """The experiments that there are."""
    return sorted(path.stem for path in Path(folder).glob("*.toml"))


def read(folder, name, level, only=()):
    """The design called `name`, of which `only` is to be run; stops with a Refusal naming the file."""
    path = Path(folder, f"{name}.toml")
    if not path.exists():
        raise unknown("config: experiment", name, names(folder))
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refusal(f"{path}: {error}") from error
    levels = ["full", *text.get("level", {})]
    if level not in levels:
        raise Refusal(
            f"{path}: there is no [level.{level}], the design has: {', '.join(levels)}; add it, "
            "choose another level, or leave the experiment out"
        )
    for selection in only:
        check_levels(path, text, level, selection)
    experiment = text.get("experiment", {})
    return Design(
        name, str(path), stated(path, experiment, level), client_hosts(text, level),
        tuple(experiment.get("figures", [])),
    )


def levels_of(text, level, factor):
    """The levels of a factor in the runs of a level; None where the design does not name it."""
    change = text.get("level", {}).get(level, {})
    for part in (change, text):
        if factor == "replicate" and "replicates" in part:
            return list(range(1, part["replicates"] + 1))
        groups = [part.get("fixed", {}), part.get("factors", {}), *part.get("together", [])]
        for group in groups:
            if factor in group:
                value = group[factor]
                return value if isinstance(value, list) else [value]
    return None


def check_levels(path, text, level, selection):
    """Stops with a Refusal where no run of the design has a level of `selection`, as `queue_pairs=1,8`."""
    factor, asked = (part.strip() for part in selection.split("=", 1))
    there = levels_of(text, level, factor)
    # What a design leaves unsaid has the factor's default, which `onesided expand` knows.
    if there is None or any(same(each, one) for each in there for one in asked.split(",")):
        return
    listed = ", ".join(str(each) for each in there)
    raise Refusal(
        f"{path}: no run of level '{level}' has {factor} = {asked}: there are {listed}; ask for one of "
        "these, or leave the experiment out"
    )


def same(level, word):
    """Whether a word of the command line is this level."""
    try:
        return float(level) == float(word)
    except (TypeError, ValueError):
        return str(level) == word.strip()


def client_hosts(text, level):
    """The most client hosts that a run of the level asks for."""
    return max(levels_of(text, level, "client_hosts") or [1])
