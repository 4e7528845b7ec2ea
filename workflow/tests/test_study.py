"""What the workflow plans, and what it refuses, without running anything."""

import re
import subprocess
import tomllib
import unittest

import yaml
from project import PROJECT, SCHEMA, STORED, SWEPT, InAProject

from study import cost_of_table, design, options
from study.cost import Cost


class Options(unittest.TestCase):
    def test_the_shell_takes_each_value_for_one_word(self):
        values = ["queue_pairs=1", "it's", "a; touch b", "$(id) `id`", "", "-x", "*", "two\nlines"]
        said = options("--only", values)
        words = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {said}"], capture_output=True, text=True, check=True
        ).stdout.split("\0")[:-1]
        self.assertEqual(words, [word for value in values for word in ["--only", value]])


class Configurations(InAProject):
    def test_the_committed_configuration_is_accepted(self):
        study = self.study()
        self.assertEqual(list(study.profiles), ["soft-roce-lab"])
        self.assertEqual(list(study.data_sets), [*STORED, *SWEPT, "soft-roce-lab"])

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
            ({"only": "queue_pair=1"}, "only: factor 'queue_pair' is unknown, did you mean 'queue_pairs'?"),
            ({"simulate_only": "operation=reed"}, "level of operation 'reed' is unknown, did you mean 'read'?"),
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
            ({"only": "queue_pairs=7"}, "latency-by-queue-pairs.toml: no run of level 'reproduce' has queue_pairs = 7"),
            ({"only": "replicate=9"}, "has replicate = 9: there are 1, 2, 3"),
            ({"sweeps": None}, "sweeps has no value: for none write 'sweeps=[]'; else expected entries PROFILE=STUDY"),
            ({"fabric": None}, "fabric has no value: for none write 'fabric=[]'; else expected some of reads"),
            ({"simulate_share": 0}, "simulate_share is 0: expected a number above 0 and at most 1"),
            ({"simulate_set_up": "nurdma-cx3"}, "expected PROFILE[/EXPERIMENT]=SET-UP"),
            ({"simulate_set_up": "nurdma-c3=auto"}, "profile 'nurdma-c3' is unknown, did you mean 'nurdma-cx3'?"),
            ({"simulate_set_up": "nurdma-cx3/atomic=auto"}, "experiment 'atomic' is unknown, did you mean 'atomics'?"),
        ]:
            self.assertIn(told, self.refusal(**changes))

    def test_a_machine_that_nothing_can_run_on_is_refused(self):
        told = self.refusal(profile="platinum-8160")
        self.assertIn("of kind 'published': nothing can be run", told)
        self.assertIn("has no simulation.toml to simulate it by", told)
        self.assertIn("'template' is unknown", self.refusal(profile="template"))

    def test_a_profile_of_another_version_is_refused_with_what_to_do(self):
        self.add_profile("newer")
        path = self.root / "profiles" / "newer" / "machine.toml"
        path.write_text("schema_version = 2\nnews = 1\n")
        told = self.refusal(profile="newer")
        self.assertIn(f"{path}: schema_version = 2, the workflow reads [1]: profiles/README.md", told)

    def test_sources_must_be_given_by_the_machines(self):
        self.assertIn("runs on profile 'soft-roce-lab' are 'soft-roce'", self.refusal(source="measured"))
        self.assertIn("source 'simulated': no profile gives it", self.refusal(source="soft-roce,simulated"))
        self.assertIn("measured, soft-roce, emulated, simulated", self.refusal(source="soft-roce,simulated"))

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
        self.assertEqual(list(study.data_sets), [*STORED, *SWEPT])
        self.assertEqual(list(study.drawing.folders), [*STORED, "sweeps"])

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
                jobs = Cost(10 * blocks, blocks, 100 * blocks).jobs(minutes)
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

    def test_a_level_that_a_design_does_not_have_is_refused_with_those_it_has(self):
        (self.root / "experiments/mine.toml").write_text("[level.smoke]\n")
        told = self.refusal(experiments="mine", level="reproduce")
        self.assertIn("mine.toml: there is no [level.reproduce], the design has: full, smoke", told)
        self.assertEqual(list(self.study(experiments="mine", level="smoke").designs), ["mine"])

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

    def test_every_figure_that_a_claim_names_is_drawn(self):
        claims = tomllib.loads((PROJECT / "paper/claims.toml").read_text(encoding="utf-8"))["claim"]
        named = {claim["figure"] for claim in claims} - {"none"}
        self.assertGreater(len(named), 20)
        study = self.study(experiments="all", profile="soft-roce-lab, emulated-rmc")
        self.assertEqual(named - {figure for _, figure in study.drawing.figures}, set())

    def test_every_committed_design_can_be_planned(self):
        study = self.study(experiments="all", level="full")
        self.assertEqual(list(study.designs), design.names(self.root / "experiments"))
        runs = sum(each.runs for each in study.costs.values())
        jobs = sum(map(len, study.jobs("soft-roce-lab").values()))
        self.assertGreaterEqual(runs, 5000)
        # 20 to 100 jobs for 5,000 runs: fewer cannot be resumed well, more cost their own time.
        self.assertTrue(20 <= jobs * 5000 / runs <= 100, f"{jobs} jobs for {runs} runs")


class Costs(InAProject):
    """Of designs that state their cost, and of those that do not."""

    def setUp(self):
        super().setUp()
        self.design = self.root / "experiments/atomics.toml"
        self.asked = self.root / "asked"

    def unstated(self):
        """Takes what the design states of its full level."""
        self.design.write_text(re.sub(r"^full = .*\n", "", self.design.read_text(), flags=re.M))

    def full(self, program):
        return self.study(experiments="atomics", level="full", onesided=str(program))

    def program(self, line, name="program"):
        """A program that keeps what it is asked for, and does what this line of a shell says."""
        path = self.root / name
        path.write_text(f'#!/bin/sh\necho "$@" >>{self.asked}\n{line}\n')
        path.chmod(0o755)
        return path

    def table(self):
        """A run table of six blocks, of two runs of 55.2 s each."""
        rows = [f"{block},200,55000" for block in range(1, 7) for _ in range(2)]
        path = self.root / "runs.csv"
        path.write_text("\n".join(["block,warm_up_ms,duration_ms", *rows, ""]))
        return path

    def test_of_a_design_that_states_nothing_the_program_is_asked(self):
        self.unstated()
        study = self.full(self.program(f"cat {self.table()}"))
        self.assertEqual(study.jobs("soft-roce-lab"), {"atomics": ["1-3", "4-6"]})
        self.assertEqual(study.costs["atomics"], Cost(12, 6, 663))
        self.assertEqual(self.asked.read_text(), f"expand {self.design} --level full\n")
        self.assertEqual(study.notes, [])

    def test_of_a_design_that_states_its_cost_and_of_a_part_nothing_is_asked(self):
        program = self.program("exit 2")
        self.assertEqual(len(self.full(program).jobs("soft-roce-lab")["atomics"]), 4)
        self.unstated()
        for changes in [{"only": "replicate=1"}, {"profile": "emulated-rmc"}]:
            study = self.study(
                experiments="atomics", level="full", onesided=str(program), **changes
            )
            for machine in study.profiles:
                self.assertEqual(study.jobs(machine), {"atomics": ["all"]})
            self.assertEqual(study.notes, [])
        self.assertFalse(self.asked.exists())

    def test_what_cannot_be_asked_is_one_job_and_said(self):
        self.unstated()
        data = self.root / "data.bin"
        data.write_text("")
        for program, why in [
            (self.root / "absent", "there is no {} yet"),
            (data, "{}: Permission denied"),
            (self.program("echo 'onesided: no factor' >&2; exit 2", "refuses"), "onesided: no factor"),
            (self.program("exit 137", "dies"), "{} ended with 137"),
            (self.program("exit 0", "silent"), "{} printed no run table"),
            (self.program("echo block; echo 1", "another"), "{} printed no run table"),
        ]:
            study = self.full(program)
            self.assertEqual(study.jobs("soft-roce-lab"), {"atomics": ["all"]})
            (note,) = study.notes
            self.assertIn(f"{self.design}: planned as one job", note)
            self.assertTrue(note.endswith(why.format(program)), note)

    def test_a_statement_that_is_not_whole_is_refused(self):
        self.design.write_text(self.design.read_text().replace(", seconds = ", ", second = "))
        told = self.refusal(experiments="atomics", level="full")
        self.assertIn("atomics.toml: [experiment.cost] lacks seconds of level 'full'", told)
        self.assertIn("onesided expand", told)

    def test_of_a_run_table_the_blocks_that_are_asked_for_are_counted(self):
        self.assertEqual(cost_of_table(self.table(), "2-3"), Cost(4, 2, 221))
        self.assertEqual(cost_of_table(self.table()), Cost(12, 6, 663))


if __name__ == "__main__":
    unittest.main(verbosity=2)
