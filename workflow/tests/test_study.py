"""What the workflow plans, and what it refuses, without running anything."""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "workflow"))

from study import Refusal, Study, design, study as module  # noqa: E402
from study.design import Design  # noqa: E402

SCHEMA = PROJECT / "workflow" / "schemas" / "config.yaml"


class InAProject(unittest.TestCase):
    """Each test has a project of its own, which it may change."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        root = Path(self.place.name)
        for name in ["experiments", "profiles", "config"]:
            shutil.copytree(PROJECT / name, root / name)
        for name in ["figures", "data"]:
            (root / name).symlink_to(PROJECT / name)
        self.root = root
        module.EXPERIMENTS, module.PROFILES, module.FIGURES = (
            str(root / name) for name in ["experiments", "profiles", "figures"]
        )
        self.config = yaml.safe_load((root / "config/config.yaml").read_text())
        for table in self.config["tables"].values():
            table["folder"] = str(root / table["folder"])

    def tearDown(self):
        self.place.cleanup()

    def study(self, **changes):
        return Study({**self.config, **changes}, SCHEMA)

    def refusal(self, **changes):
        with self.assertRaises(Refusal) as caught:
            self.study(**changes)
        return str(caught.exception)

    def add_profile(self, name, kind="measured", more=""):
        (self.root / "profiles" / name).mkdir()
        text = f'[profile]\nname = "{name}"\ntitle = "t"\nkind = "{kind}"\nsource = "s"\n{more}'
        (self.root / "profiles" / name / "machine.toml").write_text(text)


class Configurations(InAProject):
    def test_the_committed_configuration_is_accepted(self):
        study = self.study()
        self.assertEqual(list(study.profiles), ["soft-roce-lab"])
        self.assertEqual(list(study.data_sets), ["published", "stated", "arithmetic", "soft-roce-lab"])

    def test_every_key_is_documented_and_in_the_schema(self):
        schema = yaml.safe_load(SCHEMA.read_text())
        self.assertEqual(set(self.config), set(schema["properties"]))
        self.assertEqual(set(schema["required"]), set(schema["properties"]))

    def test_the_command_line_gives_lists_as_words_and_truth_as_a_word(self):
        study = self.study(
            experiments="atomics, ddio-off", overlay="false", only="queue_pairs=1,8; replicate=1"
        )
        self.assertEqual(list(study.designs), ["atomics", "ddio-off"])
        self.assertIs(study.config.overlay, False)
        self.assertEqual(study.config.only, ("queue_pairs=1,8", "replicate=1"))

    def test_what_is_misspelt_is_told_with_what_was_meant(self):
        for changes, told in [
            ({"profile": "soft-roce-lap"}, "profile 'soft-roce-lap' is unknown, did you mean 'soft-roce-lab'?"),
            ({"experiments": "latency-by-queue-pair"}, "did you mean 'latency-by-queue-pairs'?"),
            ({"level": "smok"}, "level 'smok' is unknown, did you mean 'smoke'?"),
            ({"source": "publishd"}, "'publishd' is unknown, did you mean 'published'?"),
            ({"profiles": "a"}, "key 'profiles' is unknown, did you mean 'profile'?"),
            ({"launch": "slrum"}, "'slrum' is unknown, did you mean 'slurm'?"),
        ]:
            self.assertIn(told, self.refusal(**changes))

    def test_a_wrong_value_is_told_with_its_key_and_what_is_allowed(self):
        for changes, told in [
            ({"job_minutes": 0}, "job_minutes is 0: expected a number of minutes above 0"),
            ({"seed": "x"}, 'seed is "x": expected a whole number from 0'),
            ({"server": "somewhere"}, "expected HOST:PORT"),
            ({"only": "queue_pairs"}, "expected FACTOR=LEVEL"),
            ({"profile": "a,a"}, "expected names of folders of profiles/, each once"),
            ({"overlay": "perhaps"}, "expected true or false"),
        ]:
            self.assertIn(told, self.refusal(**changes))

    def test_a_machine_that_nothing_can_run_on_is_refused(self):
        self.assertIn("of kind 'published': nothing can be run", self.refusal(profile="nurdma-cx3"))
        self.assertIn("'template' is unknown", self.refusal(profile="template"))

    def test_sources_must_be_given_by_the_machines(self):
        self.assertIn("runs on profile 'soft-roce-lab' are 'soft-roce'", self.refusal(source="measured"))
        self.assertIn("source 'simulated': no profile gives it", self.refusal(source="soft-roce,simulated"))
        self.assertIn("measured, soft-roce, emulated", self.refusal(source="soft-roce,simulated"))

    def test_an_emulated_machine_is_called_by_what_emulates_its_card(self):
        study = self.study(profile="soft-roce-lab,emulated-rmc")
        self.assertEqual(study.of_source("soft-roce"), ["soft-roce-lab"])
        self.assertEqual(study.of_source("emulated"), ["emulated-rmc"])
        self.add_profile("cardless", "emulated", '[[host]]\n[[host.nic]]\nkind = "rdma"\n')
        self.assertIn("soft-rdma or remote-memory-controller", self.refusal(profile="cardless"))

    def test_a_profile_may_say_how_long_a_hop_takes(self):
        card = '[[host]]\n[[host.nic]]\nkind = "remote-memory-controller"\n'
        self.add_profile("far", "emulated", f"{card}[network]\nlatency_ns = 50\n")
        profiles = self.study(profile="far,emulated-rmc").profiles
        self.assertEqual([profiles[name].hop_ns for name in ["far", "emulated-rmc"]], [50, None])

    def test_stored_tables_alone_need_no_machine(self):
        study = self.study(source="published", profile="nobody-has-this")
        self.assertEqual(list(study.data_sets), ["published", "stated", "arithmetic"])
        self.assertEqual(study.drawn_from.keys(), {"published", "stated", "arithmetic"})

    def test_a_table_cannot_have_the_name_of_a_machine(self):
        tables = {"soft-roce-lab": {"folder": "x", "figures": []}}
        self.assertIn("rename it", self.refusal(tables=tables))

    def test_a_figure_that_there_is_not_is_refused(self):
        tables = {"mine": {"folder": "x", "figures": ["atomic"]}}
        self.assertIn("tables.mine: figure 'atomic' is unknown, did you mean 'atomics'?", self.refusal(tables=tables))


class Designs(InAProject):
    def test_an_added_experiment_is_one_file(self):
        text = (self.root / "experiments/atomics.toml").read_text()
        (self.root / "experiments/mine.toml").write_text(text.replace('"atomics"', '"mine"', 1))
        study = self.study(experiments="mine", level="full")
        self.assertEqual(study.jobs("soft-roce-lab")["mine"], ["1-2", "3-5", "6-7", "8-10"])
        self.assertEqual(study.data_sets["soft-roce-lab"].figures, ("atomics",))

    def test_jobs_cover_every_block_once_and_are_about_as_long_as_asked(self):
        for blocks in range(1, 23):
            for minutes in [0.1, 1, 3, 10, 1000]:
                one = Design("x", "x", 10 * blocks, blocks, 100 * blocks, 1, ())
                jobs = one.jobs(minutes)
                covered = [
                    block for job in jobs for first, last in [map(int, job.split("-"))]
                    for block in range(first, last + 1)
                ]
                self.assertEqual(covered, list(range(1, blocks + 1)))
                self.assertTrue(len(jobs) == blocks or 100 * blocks / len(jobs) <= 60 * minutes)

    def test_a_part_of_a_design_is_one_job(self):
        study = self.study(only="replicate=1", level="full")
        self.assertEqual(set(map(tuple, study.jobs("soft-roce-lab").values())), {("all",)})

    def test_what_this_machine_can_do_of_a_design_is_one_job(self):
        study = self.study(profile="emulated-rmc", level="full")
        self.assertEqual(set(map(tuple, study.jobs("emulated-rmc").values())), {("all",)})

    def test_a_design_that_does_not_state_its_cost_is_refused(self):
        path = self.root / "experiments/atomics.toml"
        path.write_text(re.sub(r"^full = .*\n", "", path.read_text(), flags=re.M))
        told = self.refusal(experiments="atomics", level="full")
        self.assertIn("atomics.toml: [experiment.cost] does not state", told)
        self.assertIn("onesided expand", told)

    def test_a_file_that_is_no_design_is_told_by_its_name(self):
        (self.root / "experiments/broken.toml").write_text("[experiment\n")
        self.assertIn("broken.toml: ", self.refusal(experiments="broken"))

    def test_client_hosts_are_those_of_the_level(self):
        text = tomllib.loads(
            '[fixed]\nclient_hosts = 2\n[level.smoke.factors]\nclient_hosts = [1, 3]\n'
            '[[level.reproduce.together]]\nclient_hosts = [4, 1]\n'
        )
        found = [design.client_hosts(text, level) for level in ["full", "smoke", "reproduce"]]
        self.assertEqual(found, [2, 3, 4])
        self.assertEqual(design.client_hosts({}, "full"), 1)

    def test_every_committed_design_can_be_planned(self):
        study = self.study(experiments="all", level="full")
        self.assertEqual(list(study.designs), design.names(self.root / "experiments"))
        runs = sum(each.runs for each in study.designs.values())
        jobs = sum(map(len, study.jobs("soft-roce-lab").values()))
        self.assertGreaterEqual(runs, 5000)
        # 20 to 100 jobs for 5,000 runs: fewer cannot be resumed well, more cost their own time.
        self.assertTrue(20 <= jobs * 5000 / runs <= 100, f"{jobs} jobs for {runs} runs")


class DataSets(InAProject):
    def test_two_machines_are_drawn_apart_and_over_each_other(self):
        self.add_profile("mine")
        study = self.study(profile="soft-roce-lab,mine", source="measured,soft-roce")
        self.assertEqual(study.of_source("measured"), ["mine"])
        self.assertEqual(list(study.drawn_from), ["soft-roce-lab", "mine", "soft-roce-lab-with-mine"])
        self.assertIn(("soft-roce-lab-with-mine", "throughput-by-workers"), study.drawn)

    def test_an_overlay_has_the_figures_that_two_sets_have(self):
        study = self.study(experiments="latency-by-queue-pairs")
        overlay = [figure for folder, figure in study.drawn if "-with-" in folder]
        self.assertEqual(overlay, ["latency-by-queue-pairs", "latency-ratio-by-queue-pairs"])
        self.assertEqual(list(self.study(overlay=False).drawn_from), ["published", "stated", "arithmetic", "soft-roce-lab"])

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
        self.assertIn(("emulated-rmc", "fabric-reads"), study.drawn)
        self.assertNotIn(("soft-roce-lab", "fabric-reads"), study.drawn)
        self.assertIn("'writes' is unknown", self.refusal(fabric="writes"))


class LeftOut(unittest.TestCase):
    def test_what_a_machine_cannot_do_is_counted_and_each_reason_told_once(self):
        with tempfile.TemporaryDirectory() as place:
            files = []
            for name, left, why in [("a", 1, ["one node", "one node"]), ("b", 3, ["one node", "two, CPUs"]), ("c", 2, [])]:
                Path(place, name).mkdir()
                Path(place, name, "runs.csv").write_text("run_id\n" + "x\n" * left)
                rows = "".join(f'{name},x,"{each}"\n' for each in why)
                files.append(Path(place, name, "left-out.csv"))
                files[-1].write_text("experiment,run_id,why\n" + rows)
            told = self.told(files)
            self.assertEqual(told[0], "4 of 10 runs cannot be done on this machine and are left out:")
            self.assertEqual(told[1:], ["      3  one node (a, b)", "      1  two, CPUs (b)"])
            self.assertEqual(self.told(files[2:]), ["all 2 runs can be done on this machine"])

    @staticmethod
    def told(files):
        script = PROJECT / "workflow/scripts/left-out"
        run = subprocess.run([sys.executable, script, *files], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()


class Controller(unittest.TestCase):
    def test_the_emulated_card_is_on_the_first_node_with_memory_and_cpus(self):
        for nodes, said in [
            ([("0-3", 8)], ""),
            ([("0-1", 8), ("2-3", 8)], "--device-node 0\n"),
            ([("", 8), ("0-1", 0), ("2-3", 8)], "--device-node 2\n"),
        ]:
            with tempfile.TemporaryDirectory() as sysfs:
                for number, (cpus, memory) in enumerate(nodes):
                    node = Path(sysfs, f"devices/system/node/node{number}")
                    node.mkdir(parents=True)
                    node.joinpath("cpulist").write_text(f"{cpus}\n")
                    node.joinpath("meminfo").write_text(f"Node {number} MemTotal:       {memory} kB\n")
                script = PROJECT / "workflow/launch/rmc.d/controller"
                run = subprocess.run([script, sysfs], capture_output=True, text=True, check=True)
                self.assertEqual(run.stdout, said)


class Rules(unittest.TestCase):
    def test_the_snakefile_is_a_table_of_contents(self):
        lines = (PROJECT / "Snakefile").read_text().splitlines()
        self.assertLessEqual(len(lines), 40)
        stages = "build design measure emulate simulate collect figures claims report".split()
        included = [line.split('"')[1] for line in lines if line.startswith("include:")]
        self.assertEqual(included, [f"workflow/rules/{stage}.smk" for stage in stages])

    def test_every_rule_that_runs_something_has_a_log_and_its_script_as_input(self):
        for path in sorted((PROJECT / "workflow/rules").glob("*.smk")):
            for rule in re.split(r"\n(?=(?:use )?rule )", path.read_text())[1:]:
                name = rule.split(":")[0]
                if "shell:" not in rule:
                    continue
                self.assertIn("    log:", rule, f"{path.name}: {name}")
                shell = rule.split("shell:")[1]
                self.assertRegex(shell, r"\{log\}|TOLD", f"{path.name}: {name}")
                self.assertRegex(shell, r"\{input\.(script|program)\}", f"{path.name}: {name}")


class Progress(unittest.TestCase):
    def test_runs_that_are_there_are_counted_and_the_rest_is_timed(self):
        with tempfile.TemporaryDirectory() as place:
            plan = Path(place, "plan/mine/smoke/atomics")
            plan.mkdir(parents=True)
            rows = [f"run-{index},100,59900" for index in range(4)]
            plan.joinpath("runs.csv").write_text("run_id,warm_up_ms,duration_ms\n" + "\n".join(rows) + "\n")
            for directory in ["raw/mine/atomics/run-0", "lab/job/raw/mine/atomics/run-1", "raw/mine/atomics/run-2.partial"]:
                Path(place, directory).mkdir(parents=True)
                Path(place, directory, "run.json").write_text("{}")
            script = PROJECT / "workflow/scripts/progress"
            told = subprocess.run([sys.executable, script, place], capture_output=True, text=True, check=True).stdout
            self.assertRegex(told, r"mine +smoke +atomics +2 of +4 +2 min left")
            self.assertRegex(told, r"all +2 of +4 +2 min left")


if __name__ == "__main__":
    unittest.main(verbosity=2)
