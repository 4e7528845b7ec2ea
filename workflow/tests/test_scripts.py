"""The workflow's scripts as the rules call them, and what holds of every rule."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class SimulateScript(unittest.TestCase):
    """workflow/scripts/simulate, with a program that stands in for the command."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        (self.folder / "runs.csv").write_text("run_id,experiment\na,one\nb,one\n")

    def program(self, status, more=""):
        """Run `b` is not covered; what it is asked for is kept."""
        path = self.folder / "program"
        raw = self.folder / "raw/cx3/one"
        path.write_text(
            f"#!/bin/sh\n{more}\necho \"$@\" >>{self.folder}/asked\n"
            f"mkdir -p {raw}/a {raw}/b\n"
            f"""echo '{{"outcome": {{"status": "failed", "message": "no, notion"}}}}' >{raw}/b/run.json\n"""
            f"printf 'run_id,status,path\\na,doubtful,{raw}/a\\nb,failed,{raw}/b\\n'\nexit {status}\n"
        )
        path.chmod(0o755)
        return path

    def simulated(self, program):
        words = ["--profile", "cx3", "--share", "0.5", "--set-up", "campaign a", "--jobs", "2"]
        for name, file in [("table", "runs.csv"), ("raw", "raw"), ("done", "done"), ("not-covered", "left")]:
            words += [f"--{name}", str(self.folder / file)]
        script = PROJECT / "workflow/scripts/simulate"
        return subprocess.run(
            [sys.executable, script, "--program", program, *words], capture_output=True, text=True, check=False
        )

    def test_runs_that_are_not_covered_are_counted_with_the_reason_and_stop_nothing(self):
        done = self.simulated(self.program(1))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "left").read_text(), 'experiment,run_id,why\none,b,"no, notion"\n')
        self.assertEqual((self.folder / "done").read_text(), "runs,complete,invalid\n2,1,1\n")
        self.assertIn("--set-up campaign a --jobs 2", (self.folder / "asked").read_text())

    def test_a_program_that_could_not_run_is_told_and_nothing_is_done(self):
        done = self.simulated(self.program(2))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the same command goes on", done.stderr)
        self.assertFalse((self.folder / "done").exists())

    def test_runs_of_another_program_are_made_anew_and_those_of_the_same_kept(self):
        kept = self.folder / "raw/cx3/one/kept"
        self.simulated(self.program(0))
        kept.touch()
        self.simulated(self.program(0))
        self.assertTrue(kept.exists())
        self.simulated(self.program(0, more="# another"))
        self.assertFalse(kept.exists())


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
            # Beside what a model does not cover is the table of all runs.
            told = self.told(["--by-the-model", *files[1:]])
            self.assertEqual(told[0], "2 of 5 runs are not covered by the model and are left out:")
            told = self.told(["--by-the-model", *files[2:]])
            self.assertEqual(told, ["all 2 runs are covered by the model"])

    @staticmethod
    def told(files):
        script = PROJECT / "workflow/scripts/left-out"
        run = subprocess.run([sys.executable, script, *files], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()


class Resources(unittest.TestCase):
    def test_what_a_design_does_not_state_is_an_empty_cell(self):
        script = PROJECT / "workflow/scripts/resources"
        cost = "[experiment.cost]\nfull = { runs = 30, blocks = 5, seconds = 66 }\n"
        with tempfile.TemporaryDirectory() as place:
            for name, stated in [("a", ""), ("b", cost)]:
                Path(place, f"{name}.toml").write_text(f'[experiment]\nname = "{name}"\n{stated}')
            run = subprocess.run([script, place], capture_output=True, text=True, check=True)
        self.assertEqual(
            run.stdout.splitlines()[2:], ["| a |  |  | two nodes |", "| b |  | 30, 1 min | two nodes |"]
        )


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
    def test_a_measuring_job_is_alone_however_snakemake_is_started(self):
        program = (
            "import sys; from pathlib import Path; from snakemake.api import SnakemakeApi\n"
            "from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings\n"
            "with SnakemakeApi(OutputSettings(quiet={'all'})) as api:\n"
            "    made = api.workflow(snakefile=Path('Snakefile'), resource_settings=ResourceSettings(cores=2),\n"
            "        config_settings=ConfigSettings(config={'onesided': '/bin/true'}))\n"
            "    print(made._workflow.global_resources['testbed'])\n"
        )
        said = subprocess.run(
            [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=False
        )
        self.assertRegex(said.stdout, r"\b1\b", said.stderr)

    def fabric(self, level, what):
        """The command that measures an experiment of the fabric."""
        wanted = f"results/tables/emulated-rmc/fabric-{what}.csv.gz"
        said = subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "2", "--dry-run", "--printshellcmds", "--forcerun",
             wanted, "--config", "profile=emulated-rmc", f"level={level}", "onesided=/bin/true", "--", wanted],
            cwd=PROJECT, capture_output=True, text=True, check=False,
        )
        return next(line for line in said.stdout.splitlines() if "/bin/true fabric" in line)

    def test_at_level_smoke_an_experiment_of_the_fabric_takes_seconds(self):
        command = self.fabric
        self.assertIn(" --scale 12 --supersteps 3 --replicates 1 ", command("smoke", "pagerank"))
        reads = command("smoke", "reads")
        self.assertIn(" --replicates 1 ", reads)
        self.assertNotIn("--scale", reads)
        self.assertNotIn("--replicates", command("reproduce", "pagerank"))

    def test_reads_of_the_fabric_are_also_of_memories_that_no_cache_holds(self):
        told = re.search(r" --buffer-bytes 256KiB,([0-9]+)MiB ", self.fabric("reproduce", "reads"))
        self.assertGreaterEqual(int(told[1]), 64)
        self.assertNotIn("--buffer-bytes", self.fabric("smoke", "reads"))
        self.assertNotIn("--buffer-bytes", self.fabric("reproduce", "messages"))

    def test_the_snakefile_is_a_table_of_contents(self):
        lines = (PROJECT / "Snakefile").read_text().splitlines()
        self.assertLessEqual(len(lines), 40)
        stages = "build design measure emulate simulate collect figures claims report".split()
        included = [line.split('"')[1] for line in lines if line.startswith("include:")]
        self.assertEqual(included, [f"workflow/rules/{stage}.smk" for stage in stages])

    def test_no_rule_asks_for_cores_that_a_scheduler_does_not_give(self):
        for path in sorted((PROJECT / "workflow/rules").glob("*.smk")):
            self.assertNotIn("workflow.cores", path.read_text(), path.name)

    def test_every_rule_that_runs_something_has_a_log_and_its_script_as_input(self):
        for path in sorted((PROJECT / "workflow/rules").glob("*.smk")):
            for rule in re.split(r"\n(?=(?:use )?rule )", path.read_text())[1:]:
                name = rule.split(":")[0]
                if "shell:" not in rule:
                    continue
                self.assertIn("    log:", rule, f"{path.name}: {name}")
                shell = rule.split("shell:")[1]
                self.assertRegex(shell, r"\{log\}|TOLD", f"{path.name}: {name}")
                self.assertRegex(shell, r"\{input\.(script|program)(:q)?\}", f"{path.name}: {name}")


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
            # Of a model's runs the virtual time says nothing.
            plan.parents[1].rename(Path(place, "plan/mine-simulated"))
            Path(place, "simulated").mkdir()
            Path(place, "raw/mine").rename(Path(place, "simulated/mine"))
            told = subprocess.run([sys.executable, script, place], capture_output=True, text=True, check=True).stdout
            self.assertRegex(told, r"mine-simulated +smoke +atomics +1 of +4 +0 min left")


if __name__ == "__main__":
    unittest.main(verbosity=2)
