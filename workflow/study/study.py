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
# What `onesided memory-latency --out` leaves beside them, where somebody measured it, and its figure.
BESIDE = {"memory-latency.csv.gz": "memory-latency"}


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
        """What the text states of memory (not compressed) is not its own evidence."""
        return any(Path(file).name in ("runs.csv.gz", "memory-latency.csv.gz") for file in self.files)


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
        for name, tables in self.config.tables.items():
            self._check_figures(f"config: tables.{name}", tables.figures)
            if name in self.profiles:
                raise Refusal(f"config: tables.{name} has the name of the profile: rename it")

    def _check_source(self, machine):
        source = profile.SOURCES.get(machine.kind)
        if source is None:
            raise Refusal(
                f"{machine.path}: the profile is of kind '{machine.kind}': nothing can be run on "
                "it here; write one for your machine: onesided topology --profile NAME"
            )
        if self.config.source and source not in self.config.source:
            raise Refusal(
                f"config: source is {', '.join(self.config.source)}, but runs on profile "
                f"'{machine.name}' are '{source}': add that, or choose another profile"
            )

    def _check_every_source_is_given(self):
        given = {"published", *(profile.SOURCES[each.kind] for each in self.profiles.values())}
        for source in self.config.source:
            if source not in given:
                names = ", ".join(self.profiles) or "none"
                raise Refusal(
                    f"config: source '{source}': no profile gives it (chosen: {names}); sources "
                    f"that can be run: {', '.join(sorted(set(profile.SOURCES.values())))}"
                )

    @staticmethod
    def _check_figures(where, figures):
        known = sorted(path.stem for path in Path(FIGURES).glob("*.R"))
        for name in figures:
            if name not in known:
                raise unknown(f"{where}: figure", name, known)

    def of_source(self, source):
        """Names of the profiles whose runs are of that source."""
        return [each.name for each in self.profiles.values() if profile.SOURCES[each.kind] == source]

    @cached_property
    def jobs(self):
        """Names of the blocks of each design's jobs."""
        return {
            name: each.jobs(self.config.job_minutes, whole=bool(self.config.only))
            for name, each in self.designs.items()
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
            beside = [file for file in BESIDE if Path(folder, file).exists()]
            files = tuple(f"{folder}/{file}" for file in [*COLLECTED, *beside])
            drawn = (*figures, *(BESIDE[file] for file in beside))
            sets[name] = DataSet(name, folder, files, drawn)
        return sets

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
        return folders

    @cached_property
    def drawn(self):
        """Pairs of folder and figure; an overlay has the figures of two or more of its sets."""
        pairs = []
        for folder, names in self.drawn_from.items():
            figures = [figure for name in names for figure in self.data_sets[name].figures]
            least = min(len(names), 2)
            pairs += [(folder, figure) for figure in dict.fromkeys(figures) if figures.count(figure) >= least]
        return pairs
