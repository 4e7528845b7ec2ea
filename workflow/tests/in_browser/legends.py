"""Legends, the key and the names of axes."""

from urllib.parse import quote

from explorer_fixture import OTHER_HOST
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from .chromium import FIXTURE, OWN, Explorer


class Legends(Explorer):
    def test_hollow_points_are_explained_beside_the_chart_where_there_are_any(self):
        self.open(FIXTURE, "in.doubts=stalled")
        self.assertIn("Hollow: the same, and each has doubts", self.text("key"))
        self.open(FIXTURE, "in.source=simulated")
        self.assertFalse(self.driver.find_element(By.ID, "key").is_displayed())

    def test_a_measure_of_the_studys_estimator_is_called_so_also_of_own_runs(self):
        self.open(OWN, "y=throughput_published_ops")
        name = "throughput by the study's estimator (operations/s)"
        chosen = Select(self.driver.find_element(By.ID, "choose-y")).first_selected_option.text
        self.assertEqual(chosen, name)
        self.assertIn(name, self.driver.find_element(By.ID, "chart").get_attribute("aria-label"))
        self.after(lambda: self.ask("location.hash += arguments[0]", "&run=measured/unnamed/ad-hoc/rdma-local-1-1"))
        self.assertIn(name, self.text("run"))
        self.assertNotIn("throughput published", self.driver.find_element(By.TAG_NAME, "body").text)

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
