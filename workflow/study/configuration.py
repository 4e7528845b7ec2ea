"""config/config.yaml together with what --config says, checked."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from . import factors
from .refusal import Refusal, unknown

LISTS = [
    "profile", "source", "experiments", "only", "fabric", "simulate_experiments", "simulate_only",
    "simulate_set_up", "predictions", "sweeps",
]


@dataclass(frozen=True)
class Tables:
    """Stored tables: their folder and the figures that are drawn of them."""

    folder: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class Configuration:
    """The keys of config/config.yaml, as it documents them."""

    profile: tuple[str, ...]
    source: tuple[str, ...]
    level: str
    experiments: tuple[str, ...]
    only: tuple[str, ...]
    seed: int
    job_minutes: float
    accept_invalid: bool
    launch: str
    server: str
    token_file: str
    fabric: tuple[str, ...]
    simulate_share: float
    simulate_level: str
    simulate_experiments: tuple[str, ...]
    simulate_only: tuple[str, ...]
    simulate_set_up: tuple[str, ...]
    predictions: tuple[str, ...]
    sweeps: tuple[str, ...]
    overlay: bool
    tables: dict[str, Tables]
    onesided: str


def listed(value):
    """A list, which the command line gives as words joined by commas."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return value


def given(key, value):
    """The value of a key, in whatever form the command line gives it."""
    # These entries have commas of their own.
    if key in ("only", "simulate_only") and isinstance(value, str):
        return [entry.strip() for entry in value.split(";") if entry.strip()]
    if key in LISTS:
        return listed(value)
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def read(config, schema_path):
    """The configuration of the dictionary `config`; stops with a Refusal that names the key."""
    schema = yaml.safe_load(Path(schema_path).read_text(encoding="utf-8"))
    known = list(schema["properties"])
    for key in config:
        if key not in known:
            raise unknown("config: key", key, known)
    values = {key: given(key, value) for key, value in config.items()}
    for error in Draft202012Validator(schema).iter_errors(values):
        raise Refusal(told(error))
    for key in ("only", "simulate_only"):
        factors.check(key, values[key])
    if values["launch"] not in launchers():
        raise unknown("config: launch", values["launch"], launchers())
    tables = {
        name: Tables(table["folder"], tuple(table["figures"]))
        for name, table in values.pop("tables").items()
    }
    frozen = {key: tuple(value) if key in LISTS else value for key, value in values.items()}
    return Configuration(tables=tables, **frozen)


LAUNCHERS = Path(__file__).resolve().parents[1] / "launch"


def launchers():
    """The ways to bring both sides up: programs in workflow/launch, to which a site adds its own."""
    programs = [path.name for path in LAUNCHERS.iterdir() if path.is_file() and os.access(path, os.X_OK)]
    return sorted(["auto", *programs])


def told(error):
    """One sentence about a key that breaks the schema: its place, its value, what is allowed."""
    key = ".".join(str(part) for part in error.absolute_path) or "(top level)"
    # Of a list the command line has words, and no numbers of them.
    key = re.sub(r"\.[0-9]+$", "", key)
    if error.validator == "required":
        return f"config: {error.message} in {key}: see config/config.yaml"
    if error.validator == "enum":
        known = [str(word) for word in error.validator_value]
        return str(unknown(f"config: {key}", error.instance, known))
    allowed = error.schema.get("description", error.message)
    if error.instance is None and list(error.absolute_path) == [key] and key in LISTS:
        # What the command line makes of a key with nothing behind it.
        return f"config: {key} has no value: for none write '{key}=[]'; else expected {allowed}"
    return f"config: {key} is {json.dumps(error.instance)}: expected {allowed}"
