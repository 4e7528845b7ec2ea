"""What is drawn: folders of figures, and of which sets each is, one or several overlaid."""

from functools import cached_property

# The folder of the figures of sweeps.
SWEPT = "sweeps"


class Drawing:
    """The figures of a study: its sets and runs by name, which sets are stored or swept, and whether
    several are drawn over each other."""

    def __init__(self, sets, run_sets, stored, swept, overlay):
        self.sets = sets
        self.run_sets = run_sets
        self.stored = stored
        self.swept = swept
        self.overlay = overlay

    @cached_property
    def folders(self):
        """Names of the sets behind each folder of figures: one, or several overlaid."""
        swept = [f"{name}-swept" for name in self.swept]
        folders = {name: [name] for name in self.sets if name not in swept}
        # Sweeps of several machines are panels of one figure, with what is stated of them.
        if swept:
            of_sweeps = {figure for name in swept for figure in self.sets[name].figures}
            stated = [name for name in self.sets if self._is_stated(name)]
            beside = [name for name in stated if of_sweeps.intersection(self.sets[name].figures)]
            folders[SWEPT] = [*beside, *swept]
        for names in self._overlaid if self.overlay else []:
            if len(names) > 1:
                folders["-with-".join(names)] = names
        for name, beside in self._beside_stated if self.overlay else []:
            folders[f"{name}-with-{beside}"] = [name, beside]
        return folders

    @property
    def _overlaid(self):
        """Sets of runs that are drawn together, each a list of names."""
        with_runs = [name for name, data in self.sets.items() if data.has_runs]
        measured = [name for name in with_runs if name not in self._simulated]
        # Software has panels beside what is stored, and would keep cards from being laid over each other.
        software = [name for name in measured if name in self.run_sets and self.run_sets[name].is_software]
        cards = [name for name in measured if name not in software]
        beside = [*(name for name in cards if name in self.stored), *software] if software else []
        # A model is drawn over what it is a model of, and not over other machines.
        return [cards, beside, *(self._model_of(name, measured) for name in self._simulated)]

    @property
    def _simulated(self):
        return [name for name, runs in self.run_sets.items() if runs.is_simulated]

    def _model_of(self, name, measured):
        """The sets that are drawn with a simulated one: stored ones, and its own machine's."""
        own = [*self.stored, self.run_sets[name].profile]
        return [*(other for other in measured if other in own), name]

    def only_profile(self, folder):
        """Of a folder of figures the machine that alone is drawn; None where all are."""
        names = self.folders[folder]
        simulated = [name for name in names if name in self._simulated]
        return self.run_sets[simulated[0]].profile if simulated and len(names) > 1 else None

    def _is_stated(self, name):
        """Whether tables are stored and have no runs."""
        return name in self.stored and name in self.sets and not self.sets[name].has_runs

    @property
    def _beside_stated(self):
        """Pairs of a set and one of stated numbers alone that have a figure in common."""
        stated = [data for name, data in self.sets.items() if self._is_stated(name)]
        alone = [data for name, data in self.sets.items() if name.removesuffix("-swept") not in self.swept]
        for data in alone:
            for other in stated:
                if data is not other and set(data.figures) & set(other.figures):
                    yield data.name, other.name

    @cached_property
    def figures(self):
        """Pairs of folder and figure; an overlay has the figures of two or more of its sets.

        What a model's overlay shows is not drawn of the model alone.
        """
        figures = {folder: self._figures_of(names) for folder, names in self.folders.items()}
        if SWEPT in figures:
            swept = [figure for name in self.swept for figure in self.sets[f"{name}-swept"].figures]
            figures[SWEPT] = list(dict.fromkeys(swept))
        for folder, names in self.folders.items():
            for name in names if self.only_profile(folder) else []:
                if name in self._simulated:
                    figures[name] = [each for each in figures[name] if each not in figures[folder]]
        return [(folder, figure) for folder, names in figures.items() for figure in names]

    def _figures_of(self, names):
        figures = [figure for name in names for figure in self.sets[name].figures]
        least = min(len(names), 2)
        return [figure for figure in dict.fromkeys(figures) if figures.count(figure) >= least]
