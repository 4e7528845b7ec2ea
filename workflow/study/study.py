"""The whole study: which designs run on which machines, which tables and figures come of them."""

from functools import cached_property
from pathlib import Path

from . import configuration, cost, design, model, profile
from .drawing import Drawing
from .refusal import Refusal, unknown
from .sets import BESIDE, COLLECTED, MEASURED_RUNS, DataSet, RunSet

EXPERIMENTS = "experiments"
PROFILES = "profiles"
FIGURES = "figures"
MODEL = "paper/model.toml"
# The one job of a design that is not divided.
WHOLE = "all"
# Instead of a set-up: what the program takes by itself.
AUTO = "auto"


class Study:
    """What a configuration asks for. Stops with a Refusal at what there is not."""

    def __init__(self, config, schema):
        self.config = configuration.read(config, schema)
        # What the user should know of the plan, a sentence each.
        self.notes = []
        # Stored tables need no machine.
        needed = [] if self.config.source == ("published",) else self.config.profile
        chosen = [profile.read(PROFILES, name) for name in needed]
        self.profiles = {each.name: each for each in chosen}
        for each in chosen:
            self._check_source(each)
        self._check_every_source_is_given()
        self.set_ups = dict(self._set_ups())
        config = self.config
        # Where nothing is run `only` may be of another request.
        sources = {source for each in chosen for source in each.sources(config.source)}
        only = config.only if sources - {"simulated"} else ()
        self.designs = self._read_designs(config.experiments, config.level, only)
        self.run_sets = {each.name: each for each in self._run_sets()}
        run = [one for runs in self.run_sets.values() for one in runs.designs.values()]
        for each in [*self.designs.values(), *run]:
            self._check_figures(each.path, each.figures)
        self._check_figures("config: fabric", [f"fabric-{what}" for what in config.fabric])
        for name, tables in config.tables.items():
            self._check_figures(f"config: tables.{name}", tables.figures)
            if name in self.profiles:
                raise Refusal(f"config: tables.{name} has the name of the profile: rename it")
        self.predicted = self._predicted()
        self.swept = self._swept()

    @staticmethod
    def _read_designs(names, level, only):
        if names == ("all",):
            names = design.names(EXPERIMENTS)
        return {name: design.read(EXPERIMENTS, name, level, only) for name in names}

    def _run_sets(self):
        config = self.config
        for name, machine in self.profiles.items():
            for source in machine.sources(config.source):
                if source != "simulated":
                    yield RunSet(name, source, config.level, config.only, self.designs)
                    continue
                level = config.simulate_level or config.level
                names = config.simulate_experiments or config.experiments
                designs = self._read_designs(names, level, self.simulated_only)
                yield RunSet(name, source, level, self.simulated_only, designs)

    @property
    def simulated_only(self):
        """Which runs of the simulated designs."""
        return self.config.simulate_only or self.config.only

    def _predicted(self):
        """Machines whose simulation is held against stored conditions, by name: their parameters."""
        if not self._has_stored or model.conditions(self.config.tables) is None:
            return {}
        machines = [profile.read(PROFILES, name) for name in self.config.predictions]
        for each in machines:
            if not each.parameters:
                raise Refusal(f"config: predictions: {each.name} has no {profile.PARAMETERS}: leave it out")
        self._check_figures("config: predictions", model.FIGURES if machines else ())
        return {each.name: each.parameters for each in machines}

    def _swept(self):
        """Studies of the machines whose sweeps are simulated, by name."""
        swept = model.sweeps(self.config.sweeps) if self._has_stored else {}
        for name, studies in swept.items():
            if not profile.read(PROFILES, name).parameters:
                raise Refusal(f"config: sweeps: {name} has no {profile.PARAMETERS}: leave it out")
            self._check_figures("config: sweeps", self._swept_figures(studies))
        return swept

    @staticmethod
    def _swept_figures(studies):
        figures = (model.STUDIES[study] for study in studies)
        return tuple(dict.fromkeys(figure for figure in figures if figure))

    @cached_property
    def questions(self):
        """What is asked of the model beside held-out design points."""
        return {each.name: each for each in model.questions(MODEL)} if self.predicted else {}

    @property
    def conditions(self):
        """The stored conditions."""
        return model.conditions(self.config.tables)

    def _check_source(self, machine):
        asked = self.config.source
        if machine.sources(asked):
            return
        if machine.kind == "emulated" and machine.source is None:
            raise Refusal(
                f"{machine.path}: the profile is of kind 'emulated', but no card of it says what "
                f"emulates it: give a [[host.nic]] of kind {' or '.join(profile.EMULATED)}"
            )
        if machine.source is None and not machine.parameters:
            raise Refusal(
                f"{machine.path}: the profile is of kind '{machine.kind}': nothing can be run on "
                f"it here, and it has no {profile.PARAMETERS} to simulate it by; write one for your "
                "machine: onesided topology --profile NAME, or choose emulated-rmc, which is any machine"
            )
        gives = "' or '".join(machine.sources(profile.SOURCES))
        lacks = "" if machine.parameters else f" (it has no {profile.PARAMETERS}, so that nothing is simulated)"
        raise Refusal(
            f"config: source is {', '.join(asked)}, but runs on profile '{machine.name}' are "
            f"'{gives}'{lacks}: add that, or choose another profile"
        )

    def _check_every_source_is_given(self):
        asked = self.config.source
        given = {"published", *(source for each in self.profiles.values() for source in each.sources(asked))}
        for source in asked:
            if source not in given:
                names = ", ".join(self.profiles) or "none"
                raise Refusal(
                    f"config: source '{source}': no profile gives it (chosen: {names}); sources "
                    f"that can be run: {', '.join(profile.SOURCES)}"
                )

    def _set_ups(self):
        """Set-ups by machine, or by machine and experiment."""
        for entry in self.config.simulate_set_up:
            where, _, set_up = (word.strip() for word in entry.partition("="))
            machine, _, experiment = where.partition("/")
            for what, name, known in [
                ("profile", machine, profile.names(PROFILES)),
                ("experiment", experiment, design.names(EXPERIMENTS)),
            ]:
                if name and name not in known:
                    raise unknown(f"config: simulate_set_up: {what}", name, known)
            yield where, set_up

    @staticmethod
    def _check_figures(where, figures):
        known = sorted(path.stem for path in Path(FIGURES).glob("*.R"))
        for name in figures:
            if name not in known:
                raise unknown(f"{where}: figure", name, known)

    def of_source(self, source):
        """Names of the profiles whose runs are of that source."""
        return [each.profile for each in self.run_sets.values() if each.source == source]

    def set_up(self, machine, experiment):
        """Which set-up of the profile of that name an experiment is simulated with; None for none."""
        set_up = self.set_ups.get(f"{machine}/{experiment}", self.set_ups.get(machine))
        return None if set_up == AUTO else set_up

    def jobs(self, machine):
        """Names of the blocks of each design's jobs on the profile of that name."""
        # Of runs on this machine those are left out that it cannot do: how many, expand tells.
        if self.config.only or self.profiles[machine].source == "emulated":
            return {name: [WHOLE] for name in self.designs}
        return {
            name: its.jobs(self.config.job_minutes) if its else [WHOLE]
            for name, its in self.costs.items()
        }

    @cached_property
    def costs(self):
        """What each design costs; None where it states nothing and the program cannot be asked."""
        return {name: each.cost or self._expanded(each) for name, each in self.designs.items()}

    def _expanded(self, each):
        try:
            return cost.expanded(self.config.onesided, each.path, self.config.level)
        except cost.NotExpanded as why:
            self.notes.append(
                f"{each.path}: planned as one job, because it has no [experiment.cost] of level "
                f"'{self.config.level}' and its cost could not be computed: {why}"
            )
            return None

    @cached_property
    def data_sets(self):
        """Every set of tables there is or will be, by name: stored ones first."""
        sets = {}
        for name, tables in self.config.tables.items() if self._has_stored else []:
            files = tuple(sorted(str(path) for path in Path(tables.folder).glob("*.csv*")))
            if files:
                sets[name] = DataSet(name, tables.folder, files, tables.figures)
        for name in self.predicted:
            folder = f"results/tables/{name}-predicted"
            file = f"{folder}/predictions.csv.gz"
            sets[f"{name}-predicted"] = DataSet(f"{name}-predicted", folder, (file,), model.FIGURES)
        for name, studies in self.swept.items():
            folder = f"results/tables/{name}-swept"
            file = f"{folder}/shapes.csv.gz"
            sets[f"{name}-swept"] = DataSet(f"{name}-swept", folder, (file,), self._swept_figures(studies))
        for name, runs in self.run_sets.items():
            sets[name] = self._tables_of(name, runs)
        return sets

    def raw_of(self, name):
        """Where the records of a set of tables lie, if they do: of stored tables where `onesided run` leaves them."""
        return self.run_sets[name].raw if name in self.run_sets else MEASURED_RUNS

    def _tables_of(self, name, runs):
        folder = f"results/tables/{name}"
        beside = [file for file in BESIDE if Path(folder, file).exists() or file in self._asked(runs)]
        files = tuple(f"{folder}/{file}" for file in [*COLLECTED, *beside])
        # Further figures have the numbers of the first in another form, and of software one is enough: it shows
        # that a design runs, and its speed is no card's.
        drawn = 1 if runs.is_software else None
        figures = dict.fromkeys(figure for each in runs.designs.values() for figure in each.figures[:drawn])
        return DataSet(name, folder, files, (*figures, *(BESIDE[file] for file in beside)))

    def _asked(self, runs):
        """Files of the fabric that are to be measured beside these runs."""
        if runs.source != "emulated":
            return []
        return [f"fabric-{what}.csv.gz" for what in self.config.fabric]

    @property
    def _has_stored(self):
        return not self.config.source or "published" in self.config.source

    @cached_property
    def drawing(self):
        """Which figures are drawn of which sets."""
        config = self.config
        return Drawing(self.data_sets, self.run_sets, config.tables, self.swept, config.overlay)
