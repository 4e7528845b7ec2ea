"""Views to begin with, and the one that a page opens with."""

import tomllib

from explorer_fixture import PROJECT
from selenium.webdriver.common.by import By

from .chromium import FIXTURE, STORED, Explorer


def quoted(text):
    """A string of XPath, which may have one kind of quote in it."""
    return f"'{text}'" if "'" not in text else f'"{text}"'


class Views(Explorer):
    def test_every_view_to_begin_with_draws_points(self):
        views = tomllib.loads((PROJECT / "paper/explorer/views.toml").read_text(encoding="utf-8"))["view"]
        self.open(STORED)
        for view in views:
            self.after(lambda view=view: self.driver.find_element(By.XPATH, f"//button[.={quoted(view['title'])}]").click())
            self.assertNotIn("Ignored", self.text("message"), view["title"])
            if not view["title"].startswith("Runs "):
                self.assertEqual(self.driver.find_element(By.ID, "message").get_attribute("class"), "", f"{view['title']}: {self.text('message')}")
            self.assertRegex(self.driver.find_element(By.ID, "chart").get_attribute("aria-label"), r" [1-9][0-9,]* points", view["title"])

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
