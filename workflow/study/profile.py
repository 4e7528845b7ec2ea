"""Hardware profiles, as far as the workflow must know them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal, unknown

# What a run on a profile of each kind is called as a source.
SOURCES = {"measured": "measured", "emulated": "emulated"}


@dataclass(frozen=True)
class Profile:
    """One folder of profiles/."""

    name: str
    path: str
    kind: str
    scheduler: dict[str, str]


def names(folder):
    """The machines that there are, without the template."""
    found = sorted(path.parent.name for path in Path(folder).glob("*/machine.toml"))
    return [name for name in found if name != "template"]


def read(folder, name):
    """The profile called `name`; stops with a Refusal naming the file."""
    path = Path(folder, name, "machine.toml")
    if not path.exists() or name == "template":
        raise unknown("config: profile", name, names(folder))
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
        kind = text["profile"]["kind"]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error}: `onesided check {path}` says more") from error
    scheduler = {key: value for key, value in text.get("scheduler", {}).items() if key != "source"}
    return Profile(name, str(path), kind, scheduler)
