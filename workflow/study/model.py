"""What is asked of the simulator beside runs: predictions of stored conditions, and harder questions."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .refusal import Refusal, unknown

# What is drawn of the predictions of a machine.
FIGURES = ("predicted-against-measured", "prediction-errors", "prediction-signs")

# What is drawn of each sweep; what has no figure is for verdicts alone.
STUDIES = {
    "size": "shapes-by-size",
    "outbound": "shapes-by-size",
    "window": "shapes-by-window",
    "atomics": "atomics-by-counters",
    "key-value": "key-value-by-puts",
    "fabric": None,
    "messages-pushed": None,
    "messages-pulled": None,
    "queue-pairs": "saturation",
    "client-hosts": "saturation",
}

# Stored conditions, in the folder of the tables that are called so.
STORED = "published"
CONDITIONS = "conditions.csv.gz"


@dataclass(frozen=True)
class Question:
    """A division of the conditions that `onesided calibrate` answers for."""

    name: str
    # What of `onesided calibrate` it is.
    arguments: str
    # Parameters that it reads.
    profiles: tuple[str, ...]


def sweeps(entries):
    """The studies of each machine, by its name, of entries PROFILE=STUDY[+STUDY]..."""
    machines = {}
    for name, _, studies in (entry.partition("=") for entry in entries):
        for study in studies.split("+"):
            if study not in STUDIES:
                raise unknown("config: sweeps: study", study, list(STUDIES))
            machines.setdefault(name, []).append(study)
    return machines


def conditions(tables):
    """The stored conditions among the configuration's tables; None where there are none."""
    stored = tables.get(STORED)
    path = Path(stored.folder, CONDITIONS) if stored else None
    return str(path) if path and path.exists() else None


def questions(path):
    """The harder questions of the file that lists them; stops with a Refusal naming it."""
    try:
        with Path(path).open("rb") as file:
            entries = tomllib.load(file)["question"]
        return [Question(each["name"], each["arguments"], tuple(each["profiles"])) for each in entries]
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise Refusal(f"{path}: {error!r}: see the head of the committed file") from error
