"""Hardware profiles, as far as the workflow must know them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal, unknown

# What a run on an emulated machine is called as a source, by the kind of the machine's card.
EMULATED = {"soft-rdma": "soft-roce", "remote-memory-controller": "emulated"}

# Every source that a machine can give; `published` is stored tables'.
SOURCES = ["measured", *EMULATED.values()]


@dataclass(frozen=True)
class Profile:
    """One folder of profiles/."""

    name: str
    path: str
    kind: str
    cards: tuple[str, ...]
    # Delay of a hop of the emulated fabric, in ns; absent where the profile has none.
    hop_ns: float | None
    scheduler: dict[str, str]

    @property
    def source(self):
        """What runs on it are called; None where nothing can be run on it here."""
        if self.kind == "emulated":
            return next((EMULATED[card] for card in self.cards if card in EMULATED), None)
        return self.kind if self.kind in SOURCES else None


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
        cards = tuple(card["kind"] for host in text.get("host", []) for card in host.get("nic", []))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error}: `onesided check {path}` says more") from error
    scheduler = {key: value for key, value in text.get("scheduler", {}).items() if key != "source"}
    hop_ns = text.get("network", {}).get("latency_ns")
    return Profile(name, str(path), kind, cards, hop_ns, scheduler)
