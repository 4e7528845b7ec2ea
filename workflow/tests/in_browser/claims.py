"""Claims: found in their list, and led to values and runs, and back."""

import csv
import gzip
import random
from collections import defaultdict
from urllib.parse import urlencode

from explorer_fixture import PROJECT
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from .chromium import FIXTURE, STORED, Explorer


def stored_cells():
    """The values of all claims, as the program wrote them for the page of the stored tables."""
    csv.field_size_limit(1 << 24)
    with gzip.open(PROJECT / "results/claim-cells.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Claims(Explorer):
    def behind(self):
        """The claims that the page says the shown run is behind."""
        return {each.text for each in self.driver.find_elements(By.XPATH, "//section[@id='run']/p[starts-with(., 'Behind the claims')]/button")}

    def test_a_claim_leads_to_its_values_and_these_to_their_runs(self):
        self.open(FIXTURE)
        self.after(lambda: self.driver.find_element(By.XPATH, "//button[.='far-is-slower']").click())
        self.assertIn("10 [9, 11]", self.text("claims"))
        self.after(lambda: self.driver.find_element(By.XPATH, "//button[starts-with(., 'show 1 + 1 runs')]").click())
        self.assertIn("2 of 28 runs", self.text("message"))
        self.assertIn("behind one value of the claim far-is-slower", self.text("message"))
        # The sides have the names of what tells them apart.
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "rdma-remote" in self.text("rows"), "the table")
        self.assertIn("rdma-local", self.text("rows"))
        self.assertIn("cell=1", self.ask("return location.hash"))
        self.open(FIXTURE, "claim=far-is-slower&cell=1")
        self.assertIn("2 of 28 runs", self.text("message"))

    def test_a_run_that_is_chosen_leads_to_the_claims_that_it_is_behind(self):
        self.open(FIXTURE, "in.source=published&in.experiment=by-queue-pairs")
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()

        def choose(run):
            path = f"//details[@id='rows']//button[.='{run}']"
            self.wait(lambda: self.driver.find_elements(By.XPATH, path), f"{run} in the table")
            self.driver.find_element(By.XPATH, path).click()
            self.wait(lambda: f"/{run}" in self.text("run"), f"the run {run}")
            return self.behind()

        # What is compared and what it is compared with; other runs, also of the same name, are behind nothing.
        self.assertEqual(choose("rdma-remote-8"), {"far-is-slower"})
        self.assertEqual(choose("rdma-local-1"), set())
        self.assertEqual(choose("rdma-local-8"), {"far-is-slower"})
        self.after(lambda: self.driver.find_element(By.XPATH, "//section[@id='run']//button[.='far-is-slower']").click())
        self.assertEqual(self.ask("return document.activeElement.textContent"), "Claim far-is-slower")
        self.assertIn("claim=far-is-slower", self.ask("return location.hash"))
        self.open(FIXTURE, "run=simulated/alpha/by-queue-pairs/rdma-remote-8")
        self.assertEqual(self.behind(), set())

    def test_the_claims_of_a_run_are_those_whose_values_name_it(self):
        claims = defaultdict(set)
        for cell in stored_cells():
            for run in f"{cell['runs']} {cell['over_runs']}".split():
                claims[f"{cell['source']}/{run}"].add(cell["id"])
        several = [run for run, ids in sorted(claims.items()) if len(ids) > 1 and run.startswith("published/")]
        for run in random.Random(2).sample(several, 3):
            self.open(STORED, urlencode({"run": run}))
            self.assertEqual(self.behind(), claims[run], run)

    def test_runs_behind_a_value_are_drawn_by_a_measure_that_they_have(self):
        cells = [cell for cell in stored_cells() if cell["source"] == "published"]
        latency = next(row for row in cells if row["unit"] == "ns" and row["runs"] and not row["over_runs"])
        self.open(STORED, urlencode({"claim": latency["id"], "cell": latency["cell"]}))
        self.assertRegex(self.driver.find_element(By.ID, "chart").get_attribute("aria-label"), r"^Chart: latency mean \(ns\) by .* [1-9][0-9,]* points")
        self.assertNotIn("first side", self.text("chart"))
        # Clients of one run are compared: it is one run, on both sides.
        one = next(row for row in cells if row["over_runs"] and row["over_runs"] == row["runs"])
        self.open(STORED, urlencode({"claim": one["id"], "cell": one["cell"]}))
        self.assertIn("1 of 5,260 runs", self.text("message"))
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "both sides" in self.text("rows"), "the table")

    def test_a_value_names_its_measure_and_its_runs_are_drawn_by_it_unless_another_is_chosen(self):
        studys, robust = "throughput by the study's estimator (operations/s)", "throughput (operations/s)"

        def drawn():
            return Select(self.driver.find_element(By.ID, "choose-y")).first_selected_option.text

        # Its runs have a throughput by either estimator.
        value = next(cell for cell in stored_cells() if cell["measure"] == "throughput_published_ops" and cell["runs"])
        self.open(STORED, urlencode({"claim": value["id"]}))
        self.assertIn("measure", [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, "#claims th")])
        self.assertIn(studys, self.text("claims"))
        self.assertEqual(drawn(), robust)
        show = "//section[@id='claims']//button[starts-with(., 'show ')]"
        self.after(lambda: self.driver.find_element(By.XPATH, show).click())
        self.assertEqual(drawn(), studys)
        address = self.ask("return location.hash")
        self.assertNotIn("y=", address)
        self.assertNotIn("not what goes up here", self.text("message"))
        self.open(STORED, address[1:])
        self.assertEqual(drawn(), studys)
        # Another one stays, also in the address, and the page says so.
        self.after(lambda: Select(self.driver.find_element(By.ID, "choose-y")).select_by_value("throughput_ops"))
        self.open(STORED, self.ask("return location.hash")[1:])
        self.assertEqual(drawn(), robust)
        self.assertIn(f"The value is of {studys}, which is not what goes up here", self.text("message"))
        # The value is left to what was drawn before it.
        self.open(STORED, urlencode({"claim": value["id"], "y": "latency_mean_ns", "in.operation": "read"}))
        before = drawn()
        for expected in [studys, before]:
            self.after(lambda: self.driver.find_element(By.XPATH, show).click())
            self.assertEqual(drawn(), expected)

    def test_a_measure_that_is_no_column_of_runs_is_named_too(self):
        value = next(cell for cell in stored_cells() if cell["measure"] == "latency_sd_percent")
        self.open(STORED, urlencode({"claim": value["id"]}))
        self.assertIn("latency sd (%)", self.text("claims"))

    def test_claims_are_searched_by_words_and_verdict(self):
        self.open(STORED)
        rows = "//div[@id='claim-list']//tbody/tr"
        everything = len(self.driver.find_elements(By.XPATH, rows))
        self.assertGreater(everything, 100)
        self.driver.find_element(By.ID, "search-claims").send_keys("mtu")
        self.assertTrue(0 < len(self.driver.find_elements(By.XPATH, rows)) < everything)
        Select(self.driver.find_element(By.ID, "search-verdict")).select_by_value("contradicted")
        self.assertIn("vii-large-mtu-inverse", self.text("claim-list"))
