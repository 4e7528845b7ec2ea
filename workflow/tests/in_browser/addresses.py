"""The view in the address: written, read, and gone back to."""

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from .chromium import FIXTURE, Explorer


class Addresses(Explorer):
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
