"""What the records of runs say and no table does: where a run was, and the numbers that raised its doubts.

A record is RAW/PROFILE/EXPERIMENT/RUN_ID/run.json. One that is not there, or is of another run, is none.
"""

import json
from dataclasses import dataclass

from reporting.markup import printable
from reporting.reading import Refusal

from .pack import Codes
from .summary import MODEL

# One has some 20 kB; far larger, it is no record.
MOST_BYTES = 1 << 24
# A sentence about a doubt; the longest of the program has 300 characters.
MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class Record:
    """Of a run what its record says: the hosts, the server's first, or None; its doubts, each with a sentence."""

    host: str | None
    doubts: tuple


def read_records(runs, raw, beside):
    """The record of each run that has one, by the run's place; `raw` are their folders by set, seen from `beside`."""
    found = {}
    for place, run in enumerate(runs):
        parts = [run["profile"], run["experiment"], run["run_id"]]
        # A name that would lead to another folder is none of a record.
        if run["set"] not in raw or any(part in ("", ".", "..") or "/" in part or "\0" in part for part in parts):
            continue
        path = beside.joinpath(raw[run["set"]], *parts, "run.json")
        if not path.is_file():
            continue
        said = read(path)
        if (said.get("source"), said.get("back_end")) == (run["source"], run.get("back_end")):
            found[place] = record_of(said, path)
    return found


def read(path):
    if path.stat().st_size > MOST_BYTES:
        raise Refusal(f"{path}: has more than {MOST_BYTES} bytes, which no record has: leave it out")
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise Refusal(f"{path}: is no JSON, as a record is: delete its folder and do the run again") from None
    if not isinstance(said, dict):
        raise Refusal(f"{path}: is no record, which is an object: delete its folder and do the run again")
    return said


def record_of(said, path):
    try:
        doubts = tuple((printable(each["doubt"]), printable(each["explanation"])[:MOST_CHARACTERS]) for each in said["doubts"])
        # Where a model was computed says nothing of what it is a model of.
        host = None if said["source"] == MODEL else host_of(said)
    except (KeyError, TypeError, AttributeError):
        raise Refusal(f"{path}: its doubts or hosts are not as data/schema/run-record.json says: delete its folder and do "
                      "the run again") from None
    return Record(host, doubts)


def host_of(said):
    """The names of all hosts, the server's first, each once; None where the server is not known."""
    if said.get("server") is None:
        return None
    sides = [said["server"], said["client"], *(each["side"] for each in said["further_clients"])]
    names = [printable(side["host"]["hostname"]) for side in sides if side is not None]
    return " + ".join(dict.fromkeys(names)) or None


def record_columns(runs, records):
    """What the table of runs has of records: whether one is stored, and the host where it is known; nothing without any."""
    if not records:
        return []
    about = {"role": "identity", "label": "", "unit": ""}
    stored = ["stored" if place in records else "not stored" for place in range(len(runs))]
    made = [Codes("record", stored, ["stored", "not stored"], **about,
                  meaning="Whether its record (run.json) lay beside this page when the page was made.")]
    hosts = [records[place].host if place in records else None for place in range(len(runs))]
    if any(hosts):
        made.append(Codes("host", hosts, sorted({host for host in hosts if host}), **about,
                          meaning="The host's own name, as the record has it; of several the server's first."))
    return made


def doubt_columns(records):
    """A table of doubts with what was found, a row a doubt, by the run's place."""
    all_of = [(place, word, said) for place, record in sorted(records.items()) for word, said in record.doubts]
    levels = [sorted({row[part] for row in all_of}) for part in range(3)]
    names = ["run", "doubt", "found"]
    return len(all_of), [Codes(name, [row[part] for row in all_of], levels[part]) for part, name in enumerate(names)]
