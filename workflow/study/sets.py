"""Sets: runs of one source on one machine, and the tables that figures and verdicts are made of."""

from dataclasses import dataclass
from pathlib import Path

from .design import Design
from .profile import EMULATED

# The tables that `onesided collect` writes.
COLLECTED = ["runs.csv.gz", "clients.csv.gz", "windows.csv.gz", "latency.csv.gz"]
# What other commands leave beside them, where somebody measured it or the configuration asks for
# it, and the figure of each: `onesided memory-latency --out`, `onesided fabric WHAT --out`.
BESIDE = {
    "memory-latency.csv.gz": "memory-latency",
    "fabric-reads.csv.gz": "fabric-reads",
    "fabric-messages.csv.gz": "fabric-messages",
    "fabric-pagerank.csv.gz": "fabric-pagerank",
}
# Where runs are that no model made, each in a folder of its own.
MEASURED_RUNS = "results/raw"


@dataclass(frozen=True)
class RunSet:
    """Runs of one source on one machine, whose tables are one set."""

    profile: str
    source: str
    level: str
    only: tuple[str, ...]
    designs: dict[str, Design]

    @property
    def name(self):
        """A model carries its own name into every path, beside the hardware that it is a model of."""
        return f"{self.profile}-simulated" if self.is_simulated else self.profile

    @property
    def is_simulated(self):
        return self.source == "simulated"

    @property
    def is_software(self):
        """Whether its speed is that of software on some host, and says nothing of a card's."""
        return self.source in EMULATED.values()

    @property
    def raw(self):
        """Where its runs are."""
        return "results/simulated" if self.is_simulated else MEASURED_RUNS


@dataclass(frozen=True)
class DataSet:
    """Tables that figures and verdicts are made of."""

    name: str
    folder: str
    files: tuple[str, ...]
    figures: tuple[str, ...]

    @property
    def has_runs(self):
        return any(Path(file).name == "runs.csv.gz" for file in self.files)

    @property
    def is_judged(self):
        """What a text states is not its own evidence: of memory it is not asked, of a fabric the verdict
        says so."""
        stated_too = ("fabric-reads.csv", "fabric-messages.csv")
        judged = ("runs.csv.gz", *BESIDE, *stated_too, "shapes.csv.gz", "pcie-operations.csv")
        return any(Path(file).name in judged for file in self.files)
