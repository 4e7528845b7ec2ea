"""Points of the chart: by keys, by a click, as a table, and those that are not drawn."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .chromium import FIXTURE, STORED, Explorer


class Points(Explorer):
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

    def test_the_points_are_a_table_too(self):
        self.open(FIXTURE, "in.source=simulated&in.mtu_bytes=256")
        self.driver.find_element(By.CSS_SELECTOR, "#rows summary").click()
        self.wait(lambda: "rdma-remote-8" in self.text("rows"), "the table")
        self.driver.find_element(By.XPATH, "//div[@id='rows' or ancestor::details[@id='rows']]//button[.='rdma-remote-8']").click()
        self.assertIn("7,200", self.text("run"))

    def test_what_is_not_drawn_is_counted_by_the_reason(self):
        self.open(STORED, "x=latency_mean_ns&in.experiment=throughput-by-queue-pairs")
        self.assertIn("40 runs not drawn: no latency mean", self.text("message"))
