"""Hardware profiles, as far as the workflow must know them."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal, unknown

# What a run on an emulated machine is called as a source, by the kind of the machine's card.
EMULATED = {"soft-rdma": "soft-roce", "remote-memory-controller": "emulated"}

# What is measured on a machine, and every source that a machine can give; `published` is stored
# tables'.
MEASURED = ["measured", *EMULATED.values()]
SOURCES = [*MEASURED, "simulated"]

# Which versions of machine.toml are read.
SCHEMA = "data/schema/machine-profile.json"

# Parameters of the model of a machine, beside machine.toml.
PARAMETERS = "simulation.toml"


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
    # Its parameters for the simulator; absent where it has none.
    parameters: str | None

    @property
    def source(self):
        """What runs measured on it are called; None where nothing can be measured on it here."""
        if self.kind == "emulated":
            return next((EMULATED[card] for card in self.cards if card in EMULATED), None)
        return self.kind if self.kind in MEASURED else None

    def sources(self, asked):
        """Which sources it gives of those `asked` for; of all where nothing is, the one that it is best for."""
        gives = [source for source in (self.source, "simulated" if self.parameters else None) if source]
        return [source for source in gives if source in asked] if asked else gives[:1]


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
        check_version(path, text.get("schema_version", 1))
        kind = text["profile"]["kind"]
        cards = tuple(card["kind"] for host in text.get("host", []) for card in host.get("nic", []))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error}: `onesided check {path}` says more") from error
    scheduler = {key: value for key, value in text.get("scheduler", {}).items() if key != "source"}
    hop_ns = text.get("network", {}).get("latency_ns")
    parameters = path.with_name(PARAMETERS)
    return Profile(
        name, str(path), kind, cards, hop_ns, scheduler, str(parameters) if parameters.exists() else None
    )


def check_version(path, found):
    """Stops with a Refusal at a profile of a version that is not read."""
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    reads = schema["properties"]["schema_version"]["enum"]
    if found not in reads:
        raise Refusal(
            f"{path}: schema_version = {found}, the workflow reads {reads}: profiles/README.md (Versions) "
            "says how to bring an older one up to date"
        )
