"""A run of the table, and what it left."""

import json

# Doubts that no run of these tables may raise; others tell of the host's load.
UNEXPECTED = {
    "pages-misplaced",
    "thread-moved",
    "content-wrong",
    "nothing-measured",
    "load-idle",
    "oversubscribed",
    "numa-balancing",
    "device-node-unknown",
}


class Run:
    """One row of the table and what there is of it."""

    def __init__(self, row, raw):
        self.row = row
        self.directory = raw / row["profile"] / row["experiment"] / row["run_id"]
        self.faults = []

    def fault(self, text):
        self.faults.append(text)

    def demand(self, holds, text):
        if not holds:
            self.fault(text)

    def read(self):
        record = self.directory / "run.json"
        if not record.is_file():
            self.fault("there is no record of it")
            return False
        self.record = json.loads(record.read_text())
        outcome = self.record["outcome"]
        if outcome["status"] not in ("valid", "doubtful"):
            self.fault(f"it is {outcome['status']}: {outcome.get('message', 'see its doubts')}")
        for doubt in self.record["doubts"]:
            if doubt["invalidates"] or doubt["doubt"] in UNEXPECTED:
                self.fault(f"{doubt['doubt']}: {doubt['explanation']}")
        sides = [self.record["client"], self.record["server"]]
        if None in sides:
            self.fault("a side left no record")
            return False
        self.proofs = [proof for side in sides for proof in side["placement"]]
        self.threads = [thread for side in sides for thread in side["threads"]]
        return True
