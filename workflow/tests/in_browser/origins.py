"""Runs of several origins: which are laid over each other, and which are of software."""

from urllib.parse import quote

from explorer_fixture import OTHER_HOST
from selenium.webdriver.common.by import By

from .chromium import FIXTURE, OWN, SENDS, Explorer


class Origins(Explorer):
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

    def test_where_the_servers_threads_are_keeps_sends_apart_and_no_reads(self):
        self.open(SENDS, "in.operation=read&panel=none")
        self.assertIn("Laid over each other: no factor that matters is known to differ", self.text("message"))
        self.assertNotIn("Not stated by all of them", self.text("message"))
        self.after(lambda: self.ask("location.hash = 'in.operation=send&panel=none'"))
        self.assertIn("Not laid over each other, because these origins differ at the same point in Place asked for the server's threads "
                      "(measured profile one: rdma-local; measured profile two: rdma-remote)", self.text("message"))

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
