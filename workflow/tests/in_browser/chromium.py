"""The explorer in Chromium: pages are opened, acted on and read.

The pages are those that explorer_in_browser.py is given. All parts share one browser: to start one takes longer than most tests.
"""

import atexit
import functools
import shutil
import sys
import time
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

STORED, FIXTURE = (Path(path).resolve() for path in sys.argv[1:3])
OWN, SENDS = (FIXTURE.parent / name / "explorer.html" for name in ["own", "sends"])
# A host may be busy: what is waited for comes within this, or never.
PATIENCE = 60


@functools.cache
def browser():
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                     "--host-resolver-rules=MAP * ~NOTFOUND"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    atexit.register(driver.quit)
    return driver


class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = browser()

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
