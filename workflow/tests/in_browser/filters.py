"""Filters: which runs pass, and which are left out."""

import csv
import gzip

from explorer_fixture import PROJECT
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .chromium import FIXTURE, OWN, STORED, Explorer


class Filters(Explorer):
    def test_a_filter_that_nothing_passes_is_a_sentence(self):
        self.open(FIXTURE, "in.source=published&in.mtu_bytes=1024")
        self.assertIn("No run passes all filters", self.text("chart"))

    def test_a_doubt_is_found_among_others_and_invalid_runs_are_asked_for(self):
        self.open(STORED, "in.source=published&in.doubts=stalled")
        with gzip.open(PROJECT / "data/published/runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
            runs = list(csv.DictReader(file))
        stalled = sum("stalled" in run["doubts"].split() for run in runs)
        self.assertGreater(stalled, 1)
        self.assertIn(f"{stalled} of 5,260 runs", self.text("message"))
        invalid = sum(run["valid"] == "false" for run in runs)
        self.open(STORED, "in.source=published")
        self.assertIn(f"{len(runs) - invalid:,} of 5,260 runs", self.text("message"))
        self.assertIn(f"{invalid} runs not valid and left out", self.text("message"))
        self.after(self.box("valid", "false").click)
        self.assertIn(f"{invalid} of 5,260 runs", self.text("message"))
        self.after(lambda: self.driver.find_element(By.XPATH, "//button[.='clear all filters']").click())
        self.after(self.box("windows", "stored").click)
        self.assertIn("121 of 5,260 runs", self.text("message"))

    def test_the_filter_of_sources_has_all_of_them_also_where_others_leave_none_of_their_runs(self):
        self.open(FIXTURE, "in.mtu_bytes=1024")
        self.box("source", "emulated")
        boxes = self.driver.find_elements(By.XPATH, "//details[@data-filter='source']//label")
        self.assertEqual([each.text.strip() for each in boxes], ["published 0", "emulated 0", "simulated 8"])
        self.after(self.box("source", "emulated").click)
        self.assertIn("No run passes all filters. Press “clear all filters”", self.text("chart"))

    def test_status_tells_how_own_runs_ended(self):
        self.open(OWN, "in.source=measured&in.profile=unnamed")
        self.assertEqual(len(self.driver.find_elements(By.XPATH, "//details[@data-filter='status']")), 1)
        self.box("status", "doubtful")
        boxes = self.driver.find_elements(By.XPATH, "//details[@data-filter='status']//label")
        self.assertEqual([each.text.strip() for each in boxes], ["doubtful 16", "valid 28"])
        self.after(self.box("status", "doubtful").click)
        self.assertIn("16 of 61 runs", self.text("message"))

    def test_a_filter_keeps_the_focus_when_the_page_draws_anew(self):
        self.open(FIXTURE, "in.source=simulated")
        box = self.box("locality", "rdma-remote")
        self.ask("arguments[0].focus()", box)
        self.after(lambda: box.send_keys(Keys.SPACE))
        self.assertEqual(self.ask("return document.activeElement.type"), "checkbox")
        self.assertTrue(self.ask("return document.activeElement.checked"))
