"""What the explorer's page holds, and what no page is made of. In a browser: explorer_in_browser.py."""

import base64
import csv
import gzip
import hashlib
import json
import math
import re
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import explorer_fixture as fixture

PROJECT = fixture.PROJECT


def unpacked(page):
    """The tables in a page, as columns of values, read as the page's own program does."""
    text = re.search(r'<script id="data" type="text/plain">(.*?)</script>', page, re.DOTALL)[1]
    content = zlib.decompress(base64.b64decode(text, validate=True), -15)
    length = struct.unpack("<I", content[:4])[0]
    header = json.loads(content[4 : 4 + length])
    body = content[4 + length :]
    tables = {}
    for name, table in header["tables"].items():
        tables[name] = {
            column["name"]: values(column, body[column["at"] : column["at"] + column["bytes"]], table["count"])
            for column in table["columns"]
        }
    return header["about"], tables


def values(column, content, count):
    if column["kind"] == "codes":
        kind = {1: "B", 2: "H", 4: "I"}[len(content) // max(count, 1) or 1]
        return [column["levels"][code - 1] if code else None for code in struct.unpack(f"<{count}{kind}", content)]
    if column["kind"] == "numbers":
        plain = bytes(content[byte * count + row] for row in range(count) for byte in range(8))
        return [None if math.isnan(value) else value for value in struct.unpack(f"<{count}d", plain)]
    if column["kind"] == "texts":
        return [text or None for text in content.decode().split("\n")]
    if column["kind"] == "hashes":
        cut = (content[row * 32 : row * 32 + 32] for row in range(count))
        return [each.hex() if any(each) else None for each in cut]
    counts = struct.unpack(f"<{count}I", content[: 4 * count])
    entries = list(struct.unpack(f"<{sum(counts)}I", content[4 * count :]))
    return [[entries.pop(0) for _ in range(size)] for size in counts]


class Page(unittest.TestCase):
    def setUp(self):
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.options = fixture.write_tables(self.place)

    def made(self):
        status, said = fixture.make(self.options)
        self.assertEqual(status, 0, said)
        return (self.place / "explorer.html").read_text(encoding="utf-8")

    def refused(self, *expected):
        status, said = fixture.make(self.options)
        self.assertEqual(status, 2, said)
        for text in expected:
            self.assertIn(text, said)
        self.assertFalse((self.place / "explorer.html").exists())

    def rewrite(self, name, kind, change):
        table = [dict(fixture.CLAIM if kind == "claims" else fixture.CELL)]
        change(table[0])
        fixture.write(self.place / name, fixture.schema(kind), table)

    def test_every_cell_of_the_stored_tables_is_in_the_page(self):
        self.options["--tables"] = [f"published={PROJECT}/data/published"]
        self.options["--raw"] = []
        # A claim of the fixture names runs that these tables do not have.
        self.rewrite("claim-cells.csv", "claim-cells", lambda cell: cell.update(runs="", over_runs=""))
        _, tables = unpacked(self.made())
        with gzip.open(PROJECT / "data/published/runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
            stored = list(csv.DictReader(file))
        compared = 0
        for name in stored[0]:
            if name == "schema_version":
                continue
            found = tables["runs"].get(name, [None] * len(stored))
            for row, value in zip(stored, found, strict=True):
                text = row[name]
                if name == "doubts" and not text:
                    text = "no doubts"
                self.assertEqual(value, (float(text) if isinstance(value, int | float) else text) if text else None, name)
                compared += 1
        self.assertGreater(compared, 400_000)
        with gzip.open(PROJECT / "data/published/traces.csv.gz", "rt", encoding="utf-8", newline="") as file:
            rates = [float(row["throughput_ops"]) for row in csv.DictReader(file)]
        self.assertEqual(len(tables["windows"]["operations_per_second"]), len(rates))
        self.assertAlmostEqual(sum(tables["windows"]["operations_per_second"]) / sum(rates), 1, places=6)

    def test_runs_of_all_folders_their_windows_and_those_behind_a_claim_are_there(self):
        about, tables = unpacked(self.made())
        runs = tables["runs"]
        self.assertEqual((len(runs["run_id"]), set(runs["set"])), (28, {"stored", "model"}))
        self.assertEqual(about["raw"], {"model": "simulated"})
        self.assertIn("stalled", about["doubts"])
        self.assertEqual(about["immaterial"]["duration_ms"], [])
        self.assertIn(["operation", "send"], about["immaterial"]["server_threads"])
        self.assertEqual([tables["cells"][name] for name in ["measure", "measure_unit"]], [["throughput_ops"], ["operations/s"]])
        [of], [over] = tables["cells"]["runs"], tables["cells"]["over_runs"]
        names = [[f"{runs['source'][row]} {runs['run_id'][row]}" for row in rows] for rows in (of, over)]
        self.assertEqual(names, [["published rdma-remote-8"], ["published rdma-local-8"]])
        # Three windows of 10 ms with 10, 11 and 12 operations.
        of_run = [rate for run, rate in zip(tables["windows"]["run"], tables["windows"]["operations_per_second"], strict=True) if run == 9]
        self.assertEqual(of_run, [1000, 1100, 1200])

    def own(self):
        """The page of runs by flags, its runs by name, and of these the doubts with what was found."""
        self.options = fixture.write_own_tables(self.place)
        about, tables = unpacked(self.made())
        runs = tables["runs"]
        names = zip(*(runs[name] for name in ["source", "profile", "experiment", "run_id"]), strict=True)
        rows = {"/".join(name): {column: values[row] for column, values in runs.items()} for row, name in enumerate(names)}
        of = dict(enumerate(rows))
        doubts = list(zip((of[run] for run in tables["doubts"]["run"]), tables["doubts"]["doubt"], tables["doubts"]["found"], strict=True))
        return about, rows, doubts

    def test_the_numbers_behind_doubts_are_taken_from_the_records_that_are_stored(self):
        _, rows, doubts = self.own()
        run = "measured/unnamed/ad-hoc/rdma-remote-1-1"
        self.assertEqual([each[1:] for each in doubts if each[0] == run], [("oversubscribed", fixture.SAID), ("turbo", fixture.SAID)])
        gone, unlike = (f"measured/unnamed/ad-hoc/rdma-local-{end}" for end in ["4-2", "8-2"])
        self.assertEqual([each for each in doubts if each[0] in (gone, unlike)], [])
        self.assertEqual([rows[name]["record"] for name in [run, gone, unlike]], ["stored", "not stored", "not stored"])
        self.assertEqual({row["record"] for name, row in rows.items() if name.startswith("published/")}, {"not stored"})

    def test_the_host_of_a_run_is_that_of_its_record_and_none_is_guessed(self):
        _, rows, _ = self.own()
        self.assertEqual(rows["measured/unnamed/ad-hoc/rdma-local-1-1"]["host"], "one")
        self.assertEqual(rows["measured/named/ad-hoc/rdma-local-1"]["host"], "one")
        self.assertEqual(rows["measured/unnamed/wide/rdma-local-1-1"]["host"], f"one + {fixture.OTHER_HOST}")
        self.assertIsNone(rows["measured/unnamed/ad-hoc/rdma-local-4-2"]["host"])
        self.assertIsNone(rows["published/alpha/by-queue-pairs/rdma-local-1-1"]["host"])
        # Where a model was computed is no machine of its runs.
        self.options = fixture.write_tables(self.place)
        _, tables = unpacked(self.made())
        host = dict(zip(tables["runs"]["source"], tables["runs"]["host"], strict=True))
        self.assertEqual(host, {"published": None, "simulated": None, "emulated": "one"})

    def test_status_says_of_runs_that_are_not_the_studys_how_they_ended(self):
        _, rows, _ = self.own()
        status = {name: rows[f"measured/unnamed/{name}"]["status"] for name in ["ad-hoc/rdma-local-1-1", "wide/rdma-local-1-1"]}
        self.assertEqual(status, {"ad-hoc/rdma-local-1-1": "doubtful", "wide/rdma-local-1-1": "valid"})
        self.assertEqual(rows["published/alpha/by-queue-pairs/rdma-local-1-1"]["status"], "ok")
        # Also where no run is the study's.
        fixture.write(self.place / "mine/runs.csv.gz", fixture.schema("runs"), [{**fixture.own()[0], "valid": "false"}])
        self.options |= {"--tables": [f"mine={self.place}/mine"], "--raw": []}
        _, tables = unpacked(self.made())
        self.assertEqual(tables["runs"]["status"], ["invalid"])

    def test_a_record_that_is_none_is_refused_by_its_name(self):
        self.options = fixture.write_own_tables(self.place)
        path = self.place / "raw/unnamed/once/rdma-local-8/run.json"
        for content, said in [("{", "is no JSON"), ("[1]", "is no record"), ('{"source": "measured", "back_end": "verbs", "doubts": 7}', "its doubts or hosts are not")]:
            path.write_text(content, encoding="utf-8")
            self.refused(f"{path}: {said}")

    def test_a_name_leads_to_no_record_outside_of_the_folder_of_records(self):
        self.options = fixture.write_own_tables(self.place)
        run = fixture.own()[0]
        outside = {**run, "experiment": "..", "run_id": "outside"}
        fixture.write_record(self.place / "raw", outside, "elsewhere")
        fixture.write(self.place / "mine/runs.csv.gz", fixture.schema("runs"), [outside, {**run, "run_id": "../ad-hoc/rdma-local-1-1"}])
        _, tables = unpacked(self.made())
        self.assertFalse({"record", "host"} & set(tables["runs"]))

    def test_one_line_names_the_page_and_counts_its_runs_and_those_that_were_left_out(self):
        status, said = fixture.make(self.options)
        self.assertEqual((status, said), (0, f"{self.place}/explorer.html: 9 published runs, 3 of your own (3 emulated), 16 of a model\n"))
        lists = [self.place / "plan" / name / "left-out.csv" for name in ["one", "two", "whole"]]
        for path, left in zip(lists, [2, 1, 0], strict=True):
            fixture.write(path, ["experiment", "run_id", "why"], [{"run_id": str(run), "why": "one node"} for run in range(left)])
            fixture.write(path.with_name("runs.csv"), ["run_id"], [{"run_id": "done"}] * 2)
        self.options["--left-out"] = [str(path) for path in lists]
        _, said = fixture.make(self.options)
        self.assertTrue(said.endswith(f"; 3 of 9 planned runs were left out, for the reasons in {lists[0]} and 1 more of that name\n"), said)
        self.options["--left-out"] = [str(lists[2])]
        self.assertNotIn("left out", fixture.make(self.options)[1])
        self.options |= {"--tables": [f"stored={self.place}/stored"], "--raw": []}
        self.assertIn("9 published runs, none of your own\n", fixture.make(self.options)[1])

    def test_nothing_from_a_table_is_markup_and_only_two_known_scripts_run(self):
        page = self.made()
        self.assertFalse("window.owned" in page, "a cell of a table is in the page as it is")
        scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        self.assertEqual(len(scripts), 2)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertTrue(policy.startswith("default-src 'none'; "), policy)
        self.assertNotIn("unsafe", policy)
        allowed = re.search(r"script-src ([^;]*);", policy)[1].split()
        digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
        self.assertEqual(allowed, [f"'sha256-{digest}'" for digest in digests])

    def test_the_same_tables_give_the_same_bytes(self):
        self.assertEqual(self.made(), self.made())

    def test_a_run_that_two_tables_have_is_refused(self):
        self.options["--tables"].append(f"again={self.place}/stored")
        self.refused("two tables have the published run alpha/by-queue-pairs/rdma-local-1: leave one of them out")

    def test_a_claim_that_names_a_run_that_is_nowhere_is_refused(self):
        self.rewrite("claim-cells.csv", "claim-cells", lambda cell: cell.update(runs="alpha/by-queue-pairs/gone"))
        self.refused("claim-cells.csv: far-is-slower names the published run alpha/by-queue-pairs/gone", "onesided claims --cells")

    def test_tables_without_a_column_that_is_needed_are_refused_by_its_name(self):
        fixture.write(self.place / "claims.csv", ["id", "quote"], [])
        self.refused("claims.csv: lacks the columns paper, section")

    def test_values_of_claims_without_their_measures_are_refused(self):
        # As the program wrote them before.
        names = [name for name in fixture.schema("claim-cells") if not name.startswith("measure")]
        fixture.write(self.place / "claim-cells.csv", names, [{name: value for name, value in fixture.CELL.items() if name in names}])
        self.refused("claim-cells.csv: lacks the columns measure, measure_unit")

    def test_a_column_of_a_newer_program_is_refused(self):
        fixture.write(self.place / "stored/runs.csv.gz", [*fixture.schema("runs", "published-runs"), "flux"],
                      [{**row, "flux": "7"} for row in fixture.published()])
        self.refused("columns that data/schema/columns.csv does not know: flux")

    def test_a_cell_that_is_not_of_its_kind_is_refused_by_column_and_value(self):
        for column, value, said in [("queue_pairs", "many", "queue_pairs is 'many', which is no number"),
                                    ("raw_sha256", "ab" * 20, "raw_sha256 is 'abab")]:
            rows = fixture.published()
            rows[3][column] = value
            fixture.write(self.place / "stored/runs.csv.gz", fixture.schema("runs", "published-runs"), rows)
            self.refused(said)

    def test_tables_without_a_run_are_refused(self):
        for name in ["stored", "model"]:
            fixture.write(self.place / name / "runs.csv.gz", fixture.schema("runs"), [])
        self.refused("there is no run in")

    def test_a_factor_that_does_not_exist_cannot_be_immaterial(self):
        path = self.place / "immaterial.csv"
        path.write_text("factor,unless,reason\nmoon_phase,,It is far.\n", encoding="utf-8")
        self.options["--immaterial"] = [str(path)]
        self.refused("immaterial.csv: there is no factor moon_phase")

    def test_a_factor_cannot_matter_with_a_level_that_no_run_can_have(self):
        path = self.place / "immaterial.csv"
        self.options["--immaterial"] = [str(path)]
        for level in ["operation=fly", "moon_phase=full"]:
            path.write_text(f"factor,unless,reason\nhop_limit,operation=read {level},It is far.\n", encoding="utf-8")
            self.refused(f"immaterial.csv: hop_limit has the level {level}, which no run can have")

    def test_which_sources_are_software_is_read_from_the_table_that_figures_read(self):
        about, _ = unpacked(self.made())
        self.assertEqual(list(about["software"]), ["emulated", "soft-roce"])
        self.assertEqual(about["software"]["emulated"], "Threads of the program are the card.")
        path = self.place / "software.csv"
        path.write_text("source,reason\nmoonshine,It is no source.\n", encoding="utf-8")
        self.options["--software"] = [str(path)]
        (self.place / "explorer.html").unlink()
        self.refused("software.csv: there is no source moonshine")

    def test_a_view_of_another_shape_is_refused(self):
        path = self.place / "views.toml"
        path.write_text('[[view]]\ntitle = "one"\nadress = "x=workers"\n', encoding="utf-8")
        self.options["--views"] = [str(path)]
        self.refused("views.toml: a view has a title and an address, not adress, title")

    def test_a_table_that_is_damaged_is_named(self):
        (self.place / "stored/runs.csv.gz").write_bytes(b"no gzip")
        self.refused("runs.csv.gz")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    unittest.main(verbosity=2)
