"""The page itself: what it loads, what it makes of words in tables, and who can use it."""

from urllib.parse import quote, urlencode

from explorer_fixture import HOSTILE

from .chromium import FIXTURE, STORED, Explorer

MOST_BYTES = 3_000_000


class Page(Explorer):
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
