"""Lines of the chart: which points they join."""

import csv
import gzip
import statistics
from collections import defaultdict
from urllib.parse import urlencode

from explorer_fixture import OTHER_HOST, PROJECT

from .chromium import OWN, STORED, Explorer


class Lines(Explorer):
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
