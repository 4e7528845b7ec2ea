"""Which sets of tables a study has, what is drawn of them, and what a model gives beside."""

import csv
import tomllib
import unittest
from pathlib import Path

from project import PROJECT, STORED, InAProject

from study import Refusal, model, study as module
from study.profile import EMULATED


class DataSets(InAProject):
    def test_two_machines_are_drawn_apart_and_over_each_other(self):
        self.add_profile("mine")
        self.add_profile("yours")
        study = self.study(profile="mine,yours", source="measured")
        self.assertEqual(study.of_source("measured"), ["mine", "yours"])
        self.assertEqual(list(study.drawing.folders), ["mine", "yours", "mine-with-yours"])
        self.assertIn(("mine-with-yours", "throughput-by-workers"), study.drawing.figures)

    def test_software_is_drawn_beside_what_is_stored_and_keeps_no_cards_from_each_other(self):
        self.add_profile("mine")

        def overlaid(**changes):
            return [folder for folder in self.study(**changes).drawing.folders if "-with-" in folder]

        self.assertEqual(
            overlaid(profile="soft-roce-lab,mine"), ["published-with-mine", "published-with-soft-roce-lab"]
        )
        self.assertEqual(overlaid(profile="soft-roce-lab,mine", source="measured,soft-roce"), [])
        both = overlaid(profile="soft-roce-lab,emulated-rmc", source="soft-roce,emulated")
        self.assertEqual(both, ["soft-roce-lab-with-emulated-rmc"])

    def test_what_is_software_is_the_same_to_the_workflow_and_to_figures(self):
        with (PROJECT / "figures/lib/software-sources.csv").open(encoding="utf-8", newline="") as file:
            listed = [row["source"] for row in csv.DictReader(file)]
        self.assertEqual(listed, list(EMULATED.values()))

    def test_an_overlay_has_the_figures_that_two_sets_have(self):
        self.add_profile("mine")
        study = self.study(profile="mine", experiments="latency-by-queue-pairs")
        overlay = [figure for folder, figure in study.drawing.figures if "-with-" in folder]
        self.assertEqual(overlay, ["latency-by-queue-pairs", "latency-ratio-by-queue-pairs", "speedup-by-queue-pairs"])
        self.assertEqual(
            list(self.study(overlay=False).drawing.folders), [*STORED, "soft-roce-lab", "sweeps"]
        )

    def test_of_software_each_design_is_drawn_in_one_form(self):
        self.add_profile("mine")
        study = self.study(profile="mine,soft-roce-lab", experiments="latency-by-queue-pairs,throughput-by-workers")
        forms = {name: study.data_sets[name].figures for name in ["mine", "soft-roce-lab"]}
        self.assertEqual(forms["soft-roce-lab"], ("latency-by-queue-pairs", "throughput-by-workers"))
        self.assertIn("speedup-by-queue-pairs", forms["mine"])
        self.assertIn("improvement-by-workers", forms["mine"])

    def test_sweeps_of_all_machines_are_one_folder_with_what_is_stated(self):
        study = self.study(sweeps="atc16-cib=size+atomics+fabric,nurdma-cx3=queue-pairs")
        self.assertEqual(study.drawing.folders["sweeps"], ["stated", "atc16-cib-swept", "nurdma-cx3-swept"])
        figures = [figure for folder, figure in study.drawing.figures if folder == "sweeps"]
        self.assertEqual(figures, ["shapes-by-size", "atomics-by-counters", "saturation"])
        self.assertTrue(study.data_sets["atc16-cib-swept"].is_judged)
        self.assertTrue(study.data_sets["arithmetic"].is_judged)
        self.assertNotIn("sweeps", self.study(sweeps="").drawing.folders)
        self.assertIn("did you mean 'size'", self.refusal(sweeps="atc16-cib=sizes"))
        self.assertIn("PROFILE=STUDY", self.refusal(sweeps="atc16-cib"))
        self.assertIn("soft-roce-lab has no simulation.toml", self.refusal(sweeps="soft-roce-lab=size"))

    def test_records_of_stored_tables_are_looked_for_where_runs_by_flags_leave_them(self):
        (self.root / "mine").mkdir()
        (self.root / "mine/runs.csv.gz").touch()
        tables = {**self.config["tables"], "mine": {"folder": str(self.root / "mine"), "figures": []}}
        study = self.study(tables=tables, profile="soft-roce-lab,nurdma-cx3")
        found = {name: study.raw_of(name) for name in ["mine", "soft-roce-lab", "nurdma-cx3-simulated"]}
        self.assertEqual(found, {"mine": "results/raw", "soft-roce-lab": "results/raw", "nurdma-cx3-simulated": "results/simulated"})
        self.assertTrue(study.data_sets["mine"].has_runs)

    def test_a_scheduler_is_asked_for_what_the_profile_says(self):
        self.add_profile("mine", more='[scheduler]\nconstraint = "numa2&rdma"\nsource = "x"\n')
        self.assertEqual(self.study(profile="mine").profiles["mine"].scheduler, {"constraint": "numa2&rdma"})


    def test_what_is_measured_of_the_fabric_is_of_emulated_machines_alone(self):
        figures = self.root / "figures-with-the-fabrics"
        figures.mkdir()
        for name in ["fabric-reads", *(path.stem for path in (PROJECT / "figures").glob("*.R"))]:
            (figures / f"{name}.R").touch()
        module.FIGURES = str(figures)
        study = self.study(profile="soft-roce-lab,emulated-rmc", fabric="reads", overlay=False)
        table = "results/tables/emulated-rmc/fabric-reads.csv.gz"
        self.assertIn(table, study.data_sets["emulated-rmc"].files)
        self.assertIn(("emulated-rmc", "fabric-reads"), study.drawing.figures)
        self.assertNotIn(("soft-roce-lab", "fabric-reads"), study.drawing.figures)
        self.assertIn("'writes' is unknown", self.refusal(fabric="writes"))


class Simulated(InAProject):
    def test_a_machine_with_parameters_is_simulated_where_nothing_can_be_measured(self):
        study = self.study(profile="nurdma-cx3")
        self.assertEqual(study.of_source("simulated"), ["nurdma-cx3"])
        self.assertEqual(study.data_sets["nurdma-cx3-simulated"].folder, "results/tables/nurdma-cx3-simulated")
        self.assertEqual(study.run_sets["nurdma-cx3-simulated"].raw, "results/simulated")
        asked = self.study(profile="nurdma-cx3", source="simulated")
        self.assertEqual(list(asked.data_sets), ["nurdma-cx3-simulated"])

    def test_a_machine_is_measured_simulated_or_both_as_is_asked(self):
        self.add_profile("mine")
        (self.root / "profiles/mine/simulation.toml").touch()
        for source, found in [
            ("", ["mine"]), ("measured", ["mine"]), ("simulated", ["mine-simulated"]),
            ("measured,simulated", ["mine", "mine-simulated"]),
        ]:
            self.assertEqual(list(self.study(profile="mine", source=source).run_sets), found)

    def test_what_cannot_be_simulated_is_refused_with_the_reason(self):
        self.assertIn("it has no simulation.toml", self.refusal(profile="soft-roce-lab", source="simulated"))
        self.assertIn("runs on profile 'nurdma-cx3' are 'simulated'", self.refusal(profile="nurdma-cx3", source="measured"))
        self.assertIn("soft-roce-lab has no simulation.toml", self.refusal(predictions="soft-roce-lab"))

    def test_more_can_be_simulated_than_is_measured(self):
        study = self.study(
            profile="soft-roce-lab,nurdma-cx3", simulate_level="full", simulate_experiments="all",
            simulate_only="replicate=1,2", only="access_bytes=8",
        )
        measured, simulated = study.run_sets["soft-roce-lab"], study.run_sets["nurdma-cx3-simulated"]
        self.assertEqual((measured.level, len(measured.designs)), ("reproduce", 3))
        committed = len(list(PROJECT.glob("experiments/*.toml")))
        self.assertEqual((simulated.level, len(simulated.designs)), ("full", committed))
        self.assertEqual((measured.only, simulated.only), (("access_bytes=8",), ("replicate=1,2",)))
        self.assertEqual(self.study(profile="nurdma-cx3", only="replicate=1").simulated_only, ("replicate=1",))

    def test_a_model_is_drawn_over_its_own_machine_and_no_other(self):
        study = self.study(profile="soft-roce-lab,nurdma-cx3", simulate_experiments="all")
        overlaid = [folder for folder in study.drawing.folders if "-with-" in folder]
        self.assertIn("published-with-soft-roce-lab", overlaid)
        self.assertIn("published-with-nurdma-cx3-simulated", overlaid)
        self.assertFalse([folder for folder in overlaid if "lab" in folder and "simulated" in folder])
        self.assertEqual(study.drawing.only_profile("published-with-nurdma-cx3-simulated"), "nurdma-cx3")
        self.assertIsNone(study.drawing.only_profile("nurdma-cx3-simulated"))
        self.assertIsNone(study.drawing.only_profile("published-with-soft-roce-lab"))
        # Alone it is drawn where the study has nothing.
        alone = [figure for folder, figure in study.drawing.figures if folder == "nurdma-cx3-simulated"]
        self.assertIn("reads-in-flight", alone)
        self.assertNotIn("throughput-by-workers", alone)

    def test_the_set_up_is_the_one_that_is_named_for_the_experiment_or_else_the_machine(self):
        study = self.study(simulate_set_up="nurdma-cx3=campaign a,nurdma-cx3/atomics=b,nurdma-cx3/slot-layout=auto")
        self.assertIsNone(study.set_up("nurdma-cx3", "slot-layout"))
        self.assertEqual(study.set_up("nurdma-cx3", "atomics"), "b")
        self.assertEqual(study.set_up("nurdma-cx3", "ddio-off"), "campaign a")
        self.assertIsNone(study.set_up("other", "atomics"))

    def test_the_configured_set_ups_are_those_of_their_profiles_and_experiments(self):
        for entry in self.config["simulate_set_up"]:
            name, _, set_up = entry.partition("=")
            profile, _, experiment = name.partition("/")
            text = tomllib.loads((PROJECT / "profiles" / profile / "simulation.toml").read_text())
            for one in set_up.split("+"):
                self.assertIn(one, ["auto", *(each["name"] for each in text["set-up"])])
            self.assertTrue(not experiment or (PROJECT / f"experiments/{experiment}.toml").exists(), experiment)

    def test_predictions_are_of_stored_conditions_alone(self):
        self.assertEqual(list(self.study(source="soft-roce").predicted), [])
        study = self.study(predictions="nurdma-apt")
        self.assertEqual(list(study.predicted), ["nurdma-apt"])
        drawn = [figure for folder, figure in study.drawing.figures if folder == "nurdma-apt-predicted"]
        self.assertEqual(drawn, list(model.FIGURES))

    def test_harder_questions_are_those_of_the_file_and_a_broken_one_is_told(self):
        questions = self.study().questions
        self.assertIn("--hold-out experiments", questions["workers-from-idle"].arguments)
        for each in questions.values():
            for name in each.profiles:
                self.assertTrue((PROJECT / "profiles" / name / "simulation.toml").exists(), name)
        module.MODEL = str(self.root / "model.toml")
        Path(module.MODEL).write_text("[[question]]\nname = 'x'\n")
        with self.assertRaises(Refusal) as caught:
            self.study().questions
        self.assertIn("model.toml", str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)
