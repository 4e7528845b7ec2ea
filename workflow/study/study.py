"""The whole study: which designs run on which machines, which tables and figures come of them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import configuration, design, profile
from .refusal import Refusal, unknown

EXPERIMENTS = "experiments"
PROFILES = "profiles"
FIGURES = "figures"

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
        """What the study's text states of memory is not its own evidence; what that of Scale-Out NUMA
        states is held against itself."""
        judged = ("runs.csv.gz", *BESIDE, "fabric-reads.csv", "fabric-messages.csv")
        return any(Path(file).name in judged for file in self.files)


class Study:
    """What a configuration asks for. Stops with a Refusal at what there is not."""

    def __init__(self, config, schema):
        self.config = configuration.read(config, schema)
        # Stored tables need no machine.
        needed = [] if self.config.source == ("published",) else self.config.profile
        chosen = [profile.read(PROFILES, name) for name in needed]
        self.profiles = {each.name: each for each in chosen}
        for each in chosen:
            self._check_source(each)
        self._check_every_source_is_given()
        level, names = self.config.level, self.config.experiments
        if names == ("all",):
            names = design.names(EXPERIMENTS)
        self.designs = {name: design.read(EXPERIMENTS, name, level) for name in names}
        for each in self.designs.values():
            self._check_figures(each.path, each.figures)
        self._check_figures("config: fabric", [f"fabric-{what}" for what in self.config.fabric])
        for name, tables in self.config.tables.items():
            self._check_figures(f"config: tables.{name}", tables.figures)
            if name in self.profiles:
                raise Refusal(f"config: tables.{name} has the name of the profile: rename it")

    def _check_source(self, machine):
        source = machine.source
        if source is None and machine.kind == "emulated":
            raise Refusal(
                f"{machine.path}: the profile is of kind 'emulated', but no card of it says what "
                f"emulates it: give a [[host.nic]] of kind {' or '.join(profile.EMULATED)}"
            )
        if source is None:
            raise Refusal(
                f"{machine.path}: the profile is of kind '{machine.kind}': nothing can be run on "
                "it here; write one for your machine: onesided topology --profile NAME, or choose "
                "emulated-rmc, which is any machine"
            )
        if self.config.source and source not in self.config.source:
            raise Refusal(
                f"config: source is {', '.join(self.config.source)}, but runs on profile "
                f"'{machine.name}' are '{source}': add that, or choose another profile"
            )

    def _check_every_source_is_given(self):
        given = {"published", *(each.source for each in self.profiles.values())}
        for source in self.config.source:
            if source not in given:
                names = ", ".join(self.profiles) or "none"
                raise Refusal(
                    f"config: source '{source}': no profile gives it (chosen: {names}); sources "
                    f"that can be run: {', '.join(profile.SOURCES)}"
                )

    @staticmethod
    def _check_figures(where, figures):
        known = sorted(path.stem for path in Path(FIGURES).glob("*.R"))
        for name in figures:
            if name not in known:
                raise unknown(f"{where}: figure", name, known)

    def of_source(self, source):
        """Names of the profiles whose runs are of that source."""
        return [each.name for each in self.profiles.values() if each.source == source]

    def jobs(self, machine):
        """Names of the blocks of each design's jobs on the profile of that name."""
        # Of runs on this machine those are left out that it cannot do: how many, expand tells.
        whole = bool(self.config.only) or self.profiles[machine].source == "emulated"
        return {
            name: each.jobs(self.config.job_minutes, whole) for name, each in self.designs.items()
        }

    @cached_property
    def data_sets(self):
        """Every set of tables there is or will be, by name: stored ones first."""
        sets = {}
        for name, tables in self.config.tables.items() if self._has_stored else []:
            files = tuple(sorted(str(path) for path in Path(tables.folder).glob("*.csv*")))
            if files:
                sets[name] = DataSet(name, tables.folder, files, tables.figures)
        figures = dict.fromkeys(name for each in self.designs.values() for name in each.figures)
        for name in self.profiles:
            folder = f"results/tables/{name}"
            beside = [file for file in BESIDE if Path(folder, file).exists() or file in self._asked(name)]
            files = tuple(f"{folder}/{file}" for file in [*COLLECTED, *beside])
            drawn = (*figures, *(BESIDE[file] for file in beside))
            sets[name] = DataSet(name, folder, files, drawn)
        return sets

    def _asked(self, machine):
        """Files of the fabric that are to be measured on the profile of that name."""
        if self.profiles[machine].source != "emulated":
            return []
        return [f"fabric-{what}.csv.gz" for what in self.config.fabric]

    @property
    def _has_stored(self):
        return not self.config.source or "published" in self.config.source

    @cached_property
    def drawn_from(self):
        """Names of the data sets behind each folder of figures: one, or several overlaid."""
        folders = {name: [name] for name in self.data_sets}
        with_runs = [name for name, data in self.data_sets.items() if data.has_runs]
        if self.config.overlay and len(with_runs) > 1:
            folders["-with-".join(with_runs)] = with_runs
        for name, beside in self._beside_stated if self.config.overlay else []:
            folders[f"{name}-with-{beside}"] = [name, beside]
        return folders

    @property
    def _beside_stated(self):
        """Pairs of a set and one of stated numbers alone that have a figure in common."""
        stated = [data for data in self.data_sets.values() if not data.has_runs and data.name not in self.profiles]
        for data in self.data_sets.values():
            for other in stated:
                if data is not other and set(data.figures) & set(other.figures):
                    yield data.name, other.name

    @cached_property
    def drawn(self):
        """Pairs of folder and figure; an overlay has the figures of two or more of its sets."""
        pairs = []
        for folder, names in self.drawn_from.items():
            figures = [figure for name in names for figure in self.data_sets[name].figures]
            least = min(len(names), 2)
            pairs += [(folder, figure) for figure in dict.fromkeys(figures) if figures.count(figure) >= least]
        return pairs
