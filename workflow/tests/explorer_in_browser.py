"""The explorer in Chromium: what it shows, by mouse, keys and names, and what it refuses.

    explorer_in_browser.py STORED.html FIXTURE.html

STORED is the page of the stored tables, FIXTURE that of explorer_fixture.py, beside which own/explorer.html is. Needs selenium, chromium and
chromedriver (ci/install explorer); the browser reaches no network.
"""

import csv
import gzip
import random
import shutil
import statistics
import sys
import time
import tomllib
import unittest
from collections import defaultdict
from pathlib import Path
from urllib.parse import quote, urlencode

from explorer_fixture import OTHER_HOST, SAID
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PROJECT = Path(__file__).resolve().parents[2]
STORED, FIXTURE = (Path(path).resolve() for path in sys.argv[1:3])
OWN = FIXTURE.parent / "own/explorer.html"
# A host may be busy: what is waited for comes within this, or never.
PATIENCE = 60
MOST_BYTES = 3_000_000
HOSTILE = '<img src=x onerror="window.owned=1">'


def browser():
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                     "--host-resolver-rules=MAP * ~NOTFOUND"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)

    def tearDown(self):
        # No test leaves an error behind, and nothing that the policy forbids was tried.
        self.assertEqual(self.driver.get_log("browser"), [])

    def ask(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def drawn(self):
        return int(self.ask("return document.documentElement.dataset.drawn || 0"))

    def wait(self, reached, what):
        end = time.monotonic() + PATIENCE
        while not reached():
            self.assertLess(time.monotonic(), end, f"waited {PATIENCE} s for {what}: {self.text('summary')} {self.text('message')}")
            time.sleep(0.05)

    def text(self, name):
        return self.driver.find_element(By.ID, name).text

    def open(self, page, address=""):
        # Another address of the same page would not load it.
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + (f"#{address}" if address else ""))
        self.wait(lambda: self.drawn() >= 1, "the first chart")

    def after(self, act):
        """Does what draws anew, and waits for that."""
        before = self.drawn()
        act()
        self.wait(lambda: self.drawn() > before, "another chart")

    def box(self, factor, level):
        """The checkbox of a level; its filter is opened."""
        self.ask("const all = document.querySelector(`[data-filter=\"${arguments[0]}\"]`); all.open = true;", factor)
        path = f'//details[@data-filter="{factor}"]//label[starts-with(normalize-space(.), "{level}")]/input'
        self.wait(lambda: self.driver.find_elements(By.XPATH, path), f"the box of {factor} {level}")
        return self.driver.find_element(By.XPATH, path)

    def watched(self, address):
        """Draws another view of the page that is open, and keeps what is drawn of it."""
        self.ask("""
            if (window.drawnView !== undefined) return;
            const embed = window.vegaEmbed;
            window.vegaEmbed = async (...given) => {
              const done = await embed(...given);
              [window.drawnView, window.drawnTitle] = [done.view, given[1].title];
              return done;
            };""")
        self.after(lambda: self.ask("location.hash = arguments[0]", address))

    def title(self, address):
        """The title of the chart of a view of the page that is open."""
        self.watched(address)
        return self.ask("return window.drawnTitle.text")

    def lines(self, address):
        """The lines that are drawn of a view of the page that is open: of each, panel, colour, origin, and its points."""
        self.watched(address)
        drawn = self.ask("""
            const found = [];
            const look = (mark) => {
              if (mark.marktype === 'line') found.push(mark.items.map(({ datum }) => datum));
              else for (const item of mark.items ?? []) look(item);
            };
            look(window.drawnView.scenegraph().root);
            return found.filter((items) => items.length > 1);""")
        found = []
        for items in drawn:
            [ends] = {(each["panel"], each["shade"], each["origin"]) for each in items}
            found.append((ends, {each["x"]: each["y"] for each in items}))
            self.assertEqual(len(found[-1][1]), len(items), "a line has two points at one place")
        return dict(found)

    def behind(self):
        """The claims that the page says the shown run is behind."""
        return {each.text for each in self.driver.find_elements(By.XPATH, "//section[@id='run']/p[starts-with(., 'Behind the claims')]/button")}

    def names(self):
        """Role and name of what a reader of the screen can act on or jump to."""
        self.driver.execute_cdp_cmd("Accessibility.enable", {})
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        wanted = {"button", "link", "combobox", "checkbox", "group", "region", "form", "image", "heading"}
        return [(node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes if not node["ignored"] and node["role"]["value"] in wanted]

    def test_the_page_is_small_and_loads_nothing(self):
        self.assertLess(STORED.stat().st_size, MOST_BYTES)
        self.open(STORED)
        self.assertEqual(self.ask("return performance.getEntriesByType('resource').length"), 0)
        self.assertIn("5,260 published", self.text("summary"))

    def test_every_view_to_begin_with_draws_points(self):
        views = tomllib.loads((PROJECT / "paper/explorer/views.toml").read_text(encoding="utf-8"))["view"]
        self.open(STORED)
        for view in views:
            self.after(lambda view=view: self.driver.find_element(By.XPATH, f"//button[.={quoted(view['title'])}]").click())
            self.assertNotIn("Ignored", self.text("message"), view["title"])
            if not view["title"].startswith("Runs "):
                self.assertEqual(self.driver.find_element(By.ID, "message").get_attribute("class"), "", f"{view['title']}: {self.text('message')}")
            self.assertRegex(self.driver.find_element(By.ID, "chart").get_attribute("aria-label"), r" [1-9][0-9,]* points", view["title"])

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

    def test_filters_and_choices_are_in_the_address_and_come_back_from_it(self):
        self.open(FIXTURE, "in.source=simulated")
        self.assertIn("16 of 28 runs", self.text("message"))
        self.after(self.box("mtu_bytes", "1024").click)
        self.assertIn("8 of 28 runs", self.text("message"))
        self.after(lambda: Select(self.driver.find_element(By.ID, "choose-colour")).select_by_value("queue_pairs"))
        self.after(lambda: Select(self.driver.find_element(By.ID, "choose-scale")).select_by_value("log"))
        address = self.ask("return location.hash")
        for part in ["in.source=simulated", "in.mtu_bytes=1024", "colour=queue_pairs", "scale=log"]:
            self.assertIn(part, address)
        said = self.text("message")
        self.open(FIXTURE, address[1:])
        self.assertEqual(self.text("message"), said)
        self.assertTrue(self.box("mtu_bytes", "1024").is_selected())
        self.after(lambda: self.driver.find_element(By.XPATH, "//button[.='clear all filters']").click())
        self.assertIn("28 of 28 runs", self.text("message"))

    def test_an_address_that_cannot_be_followed_is_said_and_the_rest_is_shown(self):
        self.open(FIXTURE, "x=moon&in.operation=fly&in.weather=wet&run=none/such&claim=gone&cell=3&color=red&y=throughput_ops")
        said = self.text("message")
        for expected in ["x cannot be “moon”", "“weather”", "no run “none/such”", "no claim “gone”", "a cell and no claim", "no setting “color”"]:
            self.assertIn(expected, said)
        self.assertIn("of 28 runs", said)

    def test_a_filter_that_nothing_passes_is_a_sentence(self):
        self.open(FIXTURE, "in.source=published&in.mtu_bytes=1024")
        self.assertIn("No run passes all filters", self.text("chart"))

    def test_unlike_origins_stand_apart_and_like_ones_are_laid_over_each_other(self):
        self.open(FIXTURE, "in.experiment=by-queue-pairs&panel=none")
        self.assertIn("Not laid over each other, because these origins differ at the same point in Path MTU (B) (published: 256; simulated: 1024)",
                      self.text("message"))
        self.assertEqual(self.driver.find_element(By.ID, "message").get_attribute("class"), "warning")
        self.after(self.box("mtu_bytes", "256").click)
        self.assertNotIn("aid over each other", self.text("message"))
        # What the study states of threads counts those that poll, too: these are no other factor.
        self.after(self.box("experiment", "alike").click)
        self.assertIn("16 of 28 runs.\nLaid over each other: no factor that matters is known to differ", self.text("message"))

    def test_lines_join_points_of_replicates_and_none_where_runs_differ_in_something_else(self):
        self.open(OWN)
        rate = {str(count): 1000 * count - 3 for count in [1, 2, 4, 8]}
        slower = {str(count): 900 * count - 3 for count in [1, 2, 4, 8]}
        # Two settings at each point, which nothing shows.
        self.assertEqual(self.lines("in.profile=unnamed&in.host=one&in.experiment=ad-hoc&in.experiment=windows&panel=none"), {})
        self.assertIn("Runs at one point also differ in Requests outstanding per queue pair", self.text("message"))
        both = {"rdma-local": rate, "rdma-remote": slower}
        origin = f"measured, host one + {OTHER_HOST}, verbs"
        self.assertEqual(self.lines("in.experiment=wide&panel=mtu_bytes"), {
            ("Path MTU (B) 1024", locality, ""): points for locality, points in both.items()
        })
        # Two localities at each point, and two localities beside each other that are no number.
        self.assertEqual(self.lines("in.experiment=wide&colour=none"), {})
        self.assertEqual(self.lines("in.experiment=wide&in.queue_pairs=8&x=locality&colour=none"), {})
        # Laid over each other, and each with lines of its own; threads follow queue pairs.
        self.assertEqual(self.lines("in.experiment=wide&in.experiment=by-queue-pairs&in.mtu_bytes=1024&in.mtu_bytes=256&panel=mtu_bytes"), {
            **{("Path MTU (B) 256", locality, "published, profile alpha, nurdma"): points for locality, points in both.items()},
            **{("Path MTU (B) 1024", locality, origin): points for locality, points in both.items()},
        })
        overlaid = self.lines("in.experiment=ad-hoc&in.experiment=by-queue-pairs&in.locality=rdma-remote&panel=none")
        self.assertEqual(overlaid, {("", "rdma-remote", origin): slower for origin in ["published, profile alpha, nurdma", "measured, host one, verbs"]})

    def test_no_line_leads_to_a_single_run_but_the_studys_or_joins_runs_that_differ_in_more_than_is_shown(self):
        self.open(OWN)
        single = "No line leads to a single run that is not the study's"
        self.assertEqual(self.lines("in.experiment=once&panel=none"), {})
        self.assertIn(single, self.text("key"))
        # The one in the middle is of another window.
        self.assertEqual([list(points) for points in self.lines("in.experiment=windows&panel=none").values()], [["1", "2"]])
        self.assertIn("These also differ between the points: Client threads, Requests outstanding per queue pair", self.text("message"))
        self.assertNotIn(single, self.text("key"))
        # Of the study's runs most were made once.
        self.open(STORED)
        found = self.lines("in.profile=nurdma-cx3&in.experiment=throughput-by-queue-pairs&scale=log")
        places = ["1", "2", "3", "4", "8", "16", "24", "32", "48", "64"]
        self.assertEqual({ends: list(points) for ends, points in found.items()},
                         {(operation, locality, ""): places for operation in ["read", "write"] for locality in ["rdma-local", "rdma-remote"]})
        self.assertNotIn(single, self.text("key"))
        # The last one is of other code.
        load = "&".join(f"in.load_bytes={size}" for size in [800, 8000, 8192])
        found = self.lines(f"x=load_bytes&in.experiment=v1-load&in.experiment=load-24-threads&in.load_node=agnostic&{load}"
                           "&in.profile=nurdma-cx3&in.access_bytes=8&in.queue_pairs=8&in.locality=rdma-local&in.operation=read")
        self.assertIn("3 of 5,260 runs", self.text("message"))
        self.assertEqual([list(points) for points in found.values()], [["800", "8000"]])

    def test_lines_join_medians_over_replicates(self):
        where = {"profile": ["nurdma-cx3"], "experiment": ["workers"], "worker_operation": ["none", "read"],
                 "access_bytes": ["8"], "queue_pairs": ["8"]}
        of = defaultdict(lambda: defaultdict(list))
        with gzip.open(PROJECT / "data/published/runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
            for run in csv.DictReader(file):
                if run["valid"] != "false" and all(run[name] in levels for name, levels in where.items()):
                    of[run["operation"], run["locality"], ""][run["workers"]].append(float(run["throughput_ops"]))
        # In this order; most settings of the study were run once, and lines lead to these, too.
        expected = {}
        for ends, points in of.items():
            self.assertEqual({min(len(runs), 2) for runs in points.values()}, {1, 2}, "not both single and repeated runs")
            expected[ends] = {place: statistics.median(points[place]) for place in sorted(points, key=int)}
        self.open(STORED)
        asked = [(f"in.{name}", level) for name, levels in where.items() for level in levels]
        found = self.lines(urlencode([("x", "workers"), *asked]))
        self.assertEqual(found, expected)

    def test_keys_step_through_points_and_show_a_run(self):
        self.open(FIXTURE, "in.source=simulated&in.mtu_bytes=256")
        chart = self.driver.find_element(By.ID, "chart")
        self.ask("arguments[0].focus()", chart)
        chart.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("Queue pairs 1", self.text("point"))
        chart.send_keys(Keys.END)
        self.assertIn("Queue pairs 8", self.text("point"))
        chart.send_keys(Keys.ENTER)
        self.assertEqual(self.ask("return document.activeElement.tagName"), "H2")
        self.assertRegex(self.text("run"), r"simulated/alpha/alike/rdma-(local|remote)-8")
        self.assertIn("run=simulated", self.ask("return location.hash"))
        # Its record, and three windows.
        link = self.driver.find_element(By.CSS_SELECTOR, "#run a").get_attribute("href")
        self.assertRegex(link, r"/simulated/alpha/alike/rdma-(local|remote)-8/run\.json$")
        self.assertIn("each of 3 windows, from 0 to 20 ms; at most 1,200", self.text("run"))

    def test_a_click_on_a_point_shows_its_run(self):
        self.open(FIXTURE, "in.source=simulated&in.mtu_bytes=256&in.locality=rdma-local")
        # Where the picture has the colour of RDMA-local memory, seen from the middle of the canvas.
        found = self.ask("""
            const canvas = document.querySelector('#chart canvas');
            const { width, height } = canvas;
            const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
            const is = (x, y) => { const at = 4 * (y * width + x); return pixels[at] < 125 && pixels[at + 2] - pixels[at] > 40; };
            const scale = canvas.getBoundingClientRect().width / width;
            // From below: above is the legend, in the same colour.
            for (let y = height - 4; y >= 0; y -= 1) for (let x = 0; x < width * 0.8; x += 1) {
              if ([0, 1, 2, 3].every((d) => is(x, y + d) && is(x + d, y + 2))) return [(x + 1 - width / 2) * scale, (y + 2 - height / 2) * scale];
            }
            return null;""")
        self.assertIsNotNone(found, "no point is drawn")
        canvas = self.driver.find_element(By.CSS_SELECTOR, "#chart canvas")
        ActionChains(self.driver).move_to_element_with_offset(canvas, round(found[0]), round(found[1])).click().perform()
        self.wait(lambda: "rdma-local" in self.text("run"), "the run behind the point")

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
        csv.field_size_limit(1 << 24)
        claims = defaultdict(set)
        with gzip.open(PROJECT / "results/claim-cells.csv.gz", "rt", encoding="utf-8", newline="") as file:
            for cell in csv.DictReader(file):
                for run in f"{cell['runs']} {cell['over_runs']}".split():
                    claims[f"{cell['source']}/{run}"].add(cell["id"])
        several = [run for run, ids in sorted(claims.items()) if len(ids) > 1 and run.startswith("published/")]
        for run in random.Random(2).sample(several, 3):
            self.open(STORED, urlencode({"run": run}))
            self.assertEqual(self.behind(), claims[run], run)

    def test_the_points_are_a_table_too(self):
        self.open(FIXTURE, "in.source=simulated&in.mtu_bytes=256")
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "rdma-remote-8" in self.text("rows"), "the table")
        self.driver.find_element(By.XPATH, "//div[@id='rows' or ancestor::details[@id='rows']]//button[.='rdma-remote-8']").click()
        self.assertIn("7,200", self.text("run"))

    def test_words_of_tables_stay_words(self):
        name = "/".join(["published", "alpha", HOSTILE, "</script><script>window.owned=1</script>"])
        self.open(FIXTURE, urlencode({"run": name, "claim": "far-is-slower"}, quote_via=quote))
        self.assertIn(HOSTILE, self.text("run"))
        self.assertIn(HOSTILE, self.text("claims"))
        self.box("experiment", "<img")
        self.assertEqual(self.ask("return [document.images.length, window.owned ?? null]"), [0, None])

    def test_whatever_can_be_used_has_a_name(self):
        self.open(FIXTURE, "claim=far-is-slower&cell=1&run=published/alpha/by-queue-pairs/rdma-local-1")
        self.box("locality", "rdma-local")
        found = self.names()
        self.assertGreater(len(found), 30)
        self.assertEqual([role for role, name in found if not name.strip()], [])
        for expected in [("combobox", "X axis"), ("group", "Locality")]:
            self.assertIn(expected, found)

    def test_doubts_of_a_run_have_a_heading_which_says_what_they_are(self):
        name = "/".join(["published", "alpha", HOSTILE, "</script><script>window.owned=1</script>"])
        doubts = "//section[@id='run']/h2[.='Doubts: reasons to look twice']/following-sibling::*[1]"
        for run, expected in [(name, "stalled "), ("published/alpha/by-queue-pairs/rdma-local-1", "No doubts.")]:
            self.open(FIXTURE, urlencode({"run": run}, quote_via=quote))
            self.assertTrue(self.driver.find_element(By.XPATH, doubts).text.startswith(expected), run)

    def test_hollow_points_are_explained_beside_the_chart_where_there_are_any(self):
        self.open(FIXTURE, "in.doubts=stalled")
        self.assertIn("Hollow: the same, and each has doubts", self.text("key"))
        self.open(FIXTURE, "in.source=simulated")
        self.assertFalse(self.driver.find_element(By.ID, "key").is_displayed())

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

    def test_emulated_speed_is_never_laid_over_a_cards(self):
        self.open(FIXTURE, "in.experiment=alike&in.experiment=software&panel=none")
        self.assertIn("Not laid over each other: emulated runs show how fast software is on some host", self.text("message"))

    def test_runs_of_software_are_said_to_be_of_software_above_the_chart_in_its_title_and_at_the_run(self):
        said = "of software, not of a network card (source emulated: threads of the program are the card)."
        self.open(FIXTURE, "in.source=emulated")
        self.assertEqual(self.text("software"), f"These 3 runs are {said} They show that the program works; their numbers say nothing about a card.")
        self.assertEqual(self.title("in.source=emulated&x=threads"), "Source: emulated (software, no card)")
        self.assertIn("Source: emulated (software, no card)", self.driver.find_element(By.ID, "chart").get_attribute("aria-label"))
        run = "run=emulated/alpha/software/rdma-local-1"
        self.after(lambda: self.ask("location.hash = arguments[0]", run))
        self.assertIn("3 of these 28 runs are of software", self.text("software"))
        panel = self.driver.find_elements(By.CSS_SELECTOR, "#run > *")
        self.assertEqual([each.tag_name for each in panel[:2]], ["h2", "p"])
        self.assertEqual(panel[1].text, f"This run is {said} It shows that the program works; its numbers say nothing about a card.")
        # Nothing of the kind of others.
        self.after(lambda: self.ask("location.hash = arguments[0]", "in.source=published&run=published/alpha/by-queue-pairs/rdma-local-1"))
        self.assertFalse(self.driver.find_element(By.ID, "software").is_displayed())
        self.assertNotIn("of software", self.text("run"))
        self.assertEqual(self.title("in.source=published&x=threads"), "Source: published")
        self.assertEqual(self.title("x=threads"), "Sources: published, emulated (software, no card), simulated")

    def test_back_returns_to_the_view_before_and_a_value_that_is_left_to_its_filters(self):
        self.open(FIXTURE, "in.source=simulated")
        self.after(self.box("mtu_bytes", "1024").click)
        self.assertIn("8 of 28 runs", self.text("message"))
        self.after(self.driver.back)
        self.assertIn("16 of 28 runs", self.text("message"))
        self.after(lambda: self.driver.find_element(By.XPATH, "//button[.='far-is-slower']").click())
        self.assertEqual(self.ask("return document.activeElement.textContent"), "Claim far-is-slower")
        show = "//button[starts-with(., 'show 1 + 1 runs')]"
        self.after(lambda: self.driver.find_element(By.XPATH, show).click())
        self.assertIn("2 of 28 runs", self.text("message"))
        self.after(lambda: self.driver.find_element(By.XPATH, show).click())
        self.assertIn("16 of 28 runs", self.text("message"))

    def test_back_leaves_an_address_that_is_not_written_as_the_page_does(self):
        self.open(FIXTURE, "in.source=simulated")
        self.after(lambda: self.ask("location.hash = 'x=threads&y=throughput_ops&in.source=published'"))
        self.assertIn("9 of 28 runs", self.text("message"))
        self.after(self.driver.back)
        self.assertIn("16 of 28 runs", self.text("message"))

    def test_a_page_of_own_runs_opens_with_a_view_that_it_has(self):
        self.open(FIXTURE)
        self.assertNotIn("Ignored", self.text("message"))
        self.assertNotIn("ConnectX-4", self.text("controls"))
        self.assertEqual(self.ask("return location.hash"), "#x=post_list&in.source=emulated")

    def test_own_runs_are_the_first_view_which_clears_filters_and_shows_what_they_differ_in_most(self):
        self.open(FIXTURE, "in.source=published&in.queue_pairs=8&scale=log")
        views = self.driver.find_elements(By.XPATH, "//fieldset[legend[.='Views to begin with']]//button")
        self.assertEqual([each.text for each in views], ["Your own runs (3 emulated)", "Runs of a model (16 simulated)"])
        self.after(views[0].click)
        self.assertEqual(self.ask("return location.hash"), "#x=post_list&in.source=emulated")
        self.assertIn("3 of 28 runs", self.text("message"))
        # A page of the study's runs has neither.
        self.open(STORED)
        self.assertNotIn("Your own runs", self.text("controls"))
        self.assertNotIn("Runs of a model", self.text("controls"))

    def test_the_filter_of_sources_has_all_of_them_also_where_others_leave_none_of_their_runs(self):
        self.open(FIXTURE, "in.mtu_bytes=1024")
        self.box("source", "emulated")
        boxes = self.driver.find_elements(By.XPATH, "//details[@data-filter='source']//label")
        self.assertEqual([each.text.strip() for each in boxes], ["published 0", "emulated 0", "simulated 8"])
        self.after(self.box("source", "emulated").click)
        self.assertIn("No run passes all filters. Press “clear all filters”", self.text("chart"))

    def test_the_view_that_is_drawn_is_marked_for_the_eye_and_for_who_reads_the_screen_by_ear(self):
        self.open(FIXTURE)

        def marked():
            style = "const by = getComputedStyle(arguments[0]); return [by.fontWeight, by.borderLeftStyle]"
            views = self.driver.find_elements(By.CSS_SELECTOR, "#views button")
            return [each.text for each in views if each.get_attribute("aria-current") == "true"], [self.ask(style, each) for each in views]

        own, model = ("Your own runs (3 emulated)", "Runs of a model (16 simulated)")
        self.assertEqual(marked(), ([own], [["600", "solid"], ["400", "none"]]))
        # A run that is chosen beside it is no other view; a filter is.
        self.after(lambda: self.ask("location.hash += '&run=emulated/alpha/software/rdma-local-1'"))
        self.assertEqual(marked()[0], [own])
        self.after(lambda: self.driver.find_element(By.XPATH, f"//button[.='{model}']").click())
        self.assertEqual(marked()[0], [model])
        self.after(self.box("mtu_bytes", "1024").click)
        self.assertEqual(marked()[0], [])

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

    def test_runs_of_one_host_are_of_one_origin_whatever_their_profile_and_a_profile_is_called_one(self):
        self.open(OWN)
        self.lines("in.experiment=ad-hoc&in.host=one&in.queue_pairs=1&in.locality=rdma-local&panel=none")
        self.assertNotIn("aid over each other", self.text("message"))
        self.assertIn("Runs at one point also differ in profile", self.text("message"))
        self.lines("in.experiment=ad-hoc&in.experiment=by-queue-pairs&in.locality=rdma-local&in.queue_pairs=4&panel=none")
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "published, profile alpha, nurdma" in self.text("rows"), "the table")
        for origin in ["measured, host one, verbs", "measured, profile unnamed, verbs"]:
            self.assertIn(origin, self.text("rows"))
        self.assertIn("Of some only the profile is known, not the host", self.text("message"))
        self.lines("in.experiment=ad-hoc&in.experiment=wide&in.host=one&panel=mtu_bytes&in.host=" + quote(f"one + {OTHER_HOST}"))
        self.assertIn("They are of different hosts", self.text("message"))

    def test_a_measure_of_the_studys_estimator_is_called_so_also_of_own_runs(self):
        self.open(OWN, "y=throughput_published_ops")
        name = "throughput by the study's estimator (operations/s)"
        chosen = Select(self.driver.find_element(By.ID, "choose-y")).first_selected_option.text
        self.assertEqual(chosen, name)
        self.assertIn(name, self.driver.find_element(By.ID, "chart").get_attribute("aria-label"))
        self.after(lambda: self.ask("location.hash += arguments[0]", "&run=measured/unnamed/ad-hoc/rdma-local-1-1"))
        self.assertIn(name, self.text("run"))
        self.assertNotIn("throughput published", self.driver.find_element(By.TAG_NAME, "body").text)

    def test_status_tells_how_own_runs_ended(self):
        self.open(OWN, "in.source=measured&in.profile=unnamed")
        self.assertEqual(len(self.driver.find_elements(By.XPATH, "//details[@data-filter='status']")), 1)
        self.box("status", "doubtful")
        boxes = self.driver.find_elements(By.XPATH, "//details[@data-filter='status']//label")
        self.assertEqual([each.text.strip() for each in boxes], ["doubtful 16", "valid 28"])
        self.after(self.box("status", "doubtful").click)
        self.assertIn("16 of 61 runs", self.text("message"))

    def test_no_name_in_a_legend_is_cut(self):
        self.open(OWN)
        for address in ["in.experiment=ad-hoc&in.experiment=wide&panel=mtu_bytes&in.host=one&in.host=" + quote(f"one + {OTHER_HOST}"), "colour=host&in.source=measured"]:
            self.watched(address)
            cut = self.ask("""
                const pen = document.createElement('canvas').getContext('2d');
                const found = [];
                const look = (mark) => {
                  for (const item of mark.items ?? []) {
                    if (mark.role === 'legend-label') {
                      pen.font = `${item.fontSize}px ${item.font}`;
                      found.push([item.text, pen.measureText(item.text).width > item.limit]);
                    }
                    look(item);
                  }
                };
                look(window.drawnView.scenegraph().root);
                return found;""")
            self.assertIn(True, [OTHER_HOST in text for text, _ in cut])
            self.assertEqual([text for text, isCut in cut if isCut], [])
            # And none leads out of the page.
            self.assertEqual(self.ask("const at = document.getElementById('chart'); return at.scrollWidth - at.clientWidth"), 0)

    def test_what_is_not_drawn_is_counted_by_the_reason(self):
        self.open(STORED, "x=latency_mean_ns&in.experiment=throughput-by-queue-pairs")
        self.assertIn("40 runs not drawn: no latency mean", self.text("message"))

    def test_runs_behind_a_value_are_drawn_by_a_measure_that_they_have(self):
        with gzip.open(PROJECT / "results/claim-cells.csv.gz", "rt", encoding="utf-8", newline="") as file:
            csv.field_size_limit(1 << 24)
            cells = [row for row in csv.DictReader(file) if row["source"] == "published"]
        latency = next(row for row in cells if row["unit"] == "ns" and row["runs"] and not row["over_runs"])
        self.open(STORED, urlencode({"claim": latency["id"], "cell": latency["cell"]}))
        self.assertRegex(self.driver.find_element(By.ID, "chart").get_attribute("aria-label"), r" [1-9][0-9,]* points")
        self.assertNotIn("first side", self.text("chart"))
        # Clients of one run are compared: it is one run, on both sides.
        one = next(row for row in cells if row["over_runs"] and row["over_runs"] == row["runs"])
        self.open(STORED, urlencode({"claim": one["id"], "cell": one["cell"]}))
        self.assertIn("1 of 5,260 runs", self.text("message"))
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "both sides" in self.text("rows"), "the table")

    def test_claims_are_searched_by_words_and_verdict(self):
        self.open(STORED)
        rows = "//div[@id='claim-list']//tbody/tr"
        everything = len(self.driver.find_elements(By.XPATH, rows))
        self.assertGreater(everything, 100)
        self.driver.find_element(By.ID, "search-claims").send_keys("mtu")
        self.assertTrue(0 < len(self.driver.find_elements(By.XPATH, rows)) < everything)
        Select(self.driver.find_element(By.ID, "search-verdict")).select_by_value("contradicted")
        self.assertIn("vii-large-mtu-inverse", self.text("claim-list"))

    def test_a_filter_keeps_the_focus_when_the_page_draws_anew(self):
        self.open(FIXTURE, "in.source=simulated")
        box = self.box("locality", "rdma-remote")
        self.ask("arguments[0].focus()", box)
        self.after(lambda: box.send_keys(Keys.SPACE))
        self.assertEqual(self.ask("return document.activeElement.type"), "checkbox")
        self.assertTrue(self.ask("return document.activeElement.checked"))


def quoted(text):
    """A string of XPath, which may have one kind of quote in it."""
    return f"'{text}'" if "'" not in text else f'"{text}"'


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
