"""One run: its numbers, its file or record, and what raised its doubts."""

import csv
import gzip
import random
from urllib.parse import quote, urlencode

from explorer_fixture import HOSTILE, PROJECT, SAID
from selenium.webdriver.common.by import By

from .chromium import FIXTURE, OWN, STORED, Explorer


class Records(Explorer):
    def test_a_run_shows_its_numbers_its_file_and_its_checksum(self):
        with gzip.open(PROJECT / "data/published/runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
            runs = list(csv.DictReader(file))
        for run in random.Random(1).sample(runs, 5):
            name = "/".join(run[part] for part in ["source", "profile", "experiment", "run_id"])
            self.open(STORED, urlencode({"run": name}))
            said = self.text("run")
            for expected in [name, run["raw_path"], run["raw_sha256"]]:
                self.assertIn(expected, said)
            if run["throughput_published_ops"]:
                self.assertIn(f"{float(run['throughput_published_ops']):,.0f}"[:4], said)

    def test_doubts_of_a_run_have_a_heading_which_says_what_they_are(self):
        name = "/".join(["published", "alpha", HOSTILE, "</script><script>window.owned=1</script>"])
        doubts = "//section[@id='run']/h2[.='Doubts: reasons to look twice']/following-sibling::*[1]"
        for run, expected in [(name, "stalled "), ("published/alpha/by-queue-pairs/rdma-local-1", "No doubts.")]:
            self.open(FIXTURE, urlencode({"run": run}, quote_via=quote))
            self.assertTrue(self.driver.find_element(By.XPATH, doubts).text.startswith(expected), run)

    def test_a_run_says_of_each_doubt_what_raised_it_by_its_record_or_where_that_is(self):
        of = "in.experiment=ad-hoc&run=measured/unnamed/ad-hoc/rdma-local-"
        self.open(OWN, f"{of}1-1")
        items = [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, "#run li")]
        self.assertEqual(len(items), 2)
        self.assertTrue(items[0].startswith("oversubscribed More spinning threads than CPUs"), items[0])
        self.assertTrue(items[0].endswith(f"\nIn this run: {SAID}"), items[0])
        self.assertIn("is in the record, linked above", self.text("run"))
        link = self.driver.find_element(By.CSS_SELECTOR, "#run a").get_attribute("href")
        self.assertTrue(link.endswith("/own/raw/unnamed/ad-hoc/rdma-local-1-1/run.json"), link)
        self.assertTrue((OWN.parent / "raw/unnamed/ad-hoc/rdma-local-1-1/run.json").is_file())
        # What a record says is text.
        self.after(lambda: self.ask("location.hash = arguments[0]", f"{of}2-1"))
        self.assertIn(f"In this run: {HOSTILE}", self.text("run"))
        # Of a record that is gone there is neither a link nor a number.
        self.after(lambda: self.ask("location.hash = arguments[0]", f"{of}4-2"))
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "#run a"), [])
        self.assertNotIn("In this run", self.text("run"))
        self.assertIn("did not lie beside this page", self.text("run"))

    def test_numbers_behind_doubts_of_the_studys_runs_are_those_of_its_tables(self):
        with gzip.open(PROJECT / "data/published/runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
            run = next(row for row in csv.DictReader(file) if "stalled" in row["doubts"].split() and row["stalled_ns"] and row["throughput_running_ops"])
        self.open(STORED, urlencode({"run": "/".join(run[part] for part in ["source", "profile", "experiment", "run_id"])}))
        self.assertIn(f"In this run: stalled (ns) {int(run['stalled_ns']):,}, throughput running (operations/s) ", self.text("run"))
        self.assertIn("it is of the raw file, named above", self.text("run"))
