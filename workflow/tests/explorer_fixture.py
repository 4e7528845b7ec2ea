"""Tables of a few runs, with hostile words in them, and the explorer's page of these.

    explorer_fixture.py FOLDER     writes the tables, FOLDER/explorer.html, FOLDER/own/explorer.html of runs that
                                   somebody made by flags, with records, beside the study's, and
                                   FOLDER/sends/explorer.html of two machines with other places of the server's threads
"""

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
HOSTILE = '<img src=x onerror="window.owned=1">'
BREAKING = "</script><script>window.owned=1</script>"
QUEUE_PAIRS = [1, 2, 4, 8]


def schema(*kinds):
    with (PROJECT / "data/schema/columns.csv").open(encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(row["column"] for row in csv.DictReader(file) if row["table"] in kinds))


def write(path, names, table):
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def run(source, locality, queue_pairs, **more):
    far = 0.9 if locality == "rdma-remote" else 1
    return {
        "schema_version": "6", "source": source, "back_end": "nurdma" if source == "published" else "sim",
        "profile": "alpha", "experiment": "by-queue-pairs", "run_id": f"{locality}-{queue_pairs}", "replicate": "1",
        "operation": "read", "locality": locality, "queue_pairs": str(queue_pairs), "threads": str(queue_pairs),
        "mtu_bytes": "256", "access_bytes": "8", "throughput_ops": str(1000 * queue_pairs * far), "valid": "true", **more,
    }


def runs_of(source, **more):
    return [run(source, locality, count, **more) for locality in ["rdma-local", "rdma-remote"] for count in QUEUE_PAIRS]


def published():
    found = runs_of("published", raw_path="a/b.result", raw_sha256="ab" * 32)
    # The study polls on a thread of its own for each queue pair.
    for each in found:
        each["threads"] = str(2 * int(each["queue_pairs"]))
    hostile = run("published", "rdma-local", 1, run_id=BREAKING, experiment=HOSTILE, doubts=f"stalled {HOSTILE}", raw_path=BREAKING)
    return [*found, hostile]


def simulated():
    """As the published ones in a design of its own; in theirs with another MTU."""
    # What they differ in most is no queue pairs, which is what a view shows where nothing is said.
    software = [{**run("emulated", "rdma-local", count, experiment="software", back_end="rmc"), "queue_pairs": str(min(count, 2)),
                 "threads": "1", "post_list": str(count)} for count in QUEUE_PAIRS[:3]]
    return [*runs_of("simulated", experiment="alike"), *runs_of("simulated", mtu_bytes="1024"), *software]


def windows(runs):
    return [
        {"schema_version": "3", "source": each["source"], "profile": each["profile"], "experiment": each["experiment"],
         "run_id": each["run_id"], "window": str(index), "start_ns": str(index * 10_000_000), "queue_pair": "0", "operations": str(10 + index)}
        for each in runs for index in range(3)
    ]


SAID = "5 spinning threads of the server share 2 CPUs: what is measured contains scheduling"


def write_record(folder, run, host, *clients, said=SAID):
    """The record of a run, as far as the explorer reads it: a sentence for each doubt, and hosts."""
    side = {"host": {"hostname": host}}
    doubts = [{"doubt": word, "invalidates": False, "explanation": said} for word in run.get("doubts", "").split()]
    record = {"source": run["source"], "back_end": run["back_end"], "doubts": doubts, "server": side,
              "client": side, "further_clients": [{"side": {"host": {"hostname": name}}} for name in clients]}
    path = folder / run["profile"] / run["experiment"] / run["run_id"] / "run.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record), encoding="utf-8")


def repeated(runs):
    """Each run twice, the second time slower by as little as chance makes it."""
    return [{**each, "run_id": f"{each['run_id']}-{time}", "replicate": str(time), "throughput_ops": str(float(each["throughput_ops"]) - 2 * time)}
            for each in runs for time in [1, 2]]


def own():
    """Runs by flags on a card, in three designs: as the study's and repeated; with another MTU; single ones, of which one
    has another window. And of one setting under another profile."""
    flags = {"profile": "unnamed", "back_end": "verbs"}
    doubtful = {"doubts": "oversubscribed turbo", "throughput_published_ops": "1000"}
    return [
        *repeated(runs_of("measured", experiment="ad-hoc", **flags, **doubtful)),
        *repeated(runs_of("measured", experiment="wide", mtu_bytes="1024", **flags)),
        *(run("measured", "rdma-local", count, experiment="once", **flags) for count in QUEUE_PAIRS),
        *repeated(run("measured", "rdma-local", count, experiment="windows", window=str(2 if count == 4 else 1), **flags) for count in QUEUE_PAIRS),
        run("measured", "rdma-local", 1, experiment="ad-hoc", back_end="verbs", profile="named"),
    ]


OTHER_HOST = "a-host-with-a-name-as-long-as-those-of-clusters.rack-17.example"


def write_own_tables(folder):
    """The study's runs, repeated, and own ones with their records; the arguments of explorer.py."""
    options = write_tables(folder)
    write(folder / "stored/runs.csv.gz", schema("runs", "published-runs"), repeated(runs_of("published", status="ok")))
    write(folder / "mine/runs.csv.gz", schema("runs"), own())
    for each in own():
        # One is gone, and one lies where another source's should.
        name = f"{each['experiment']}/{each['run_id']}"
        if name == "ad-hoc/rdma-local-4-2":
            continue
        source = "emulated" if name == "ad-hoc/rdma-local-8-2" else each["source"]
        clients = [OTHER_HOST] if each["experiment"] == "wide" else []
        write_record(folder / "raw", {**each, "source": source}, "one", *clients, said=HOSTILE if each["run_id"] == "rdma-local-2-1" else SAID)
    write(folder / "claims.csv", schema("claims"), [CLAIM])
    write(folder / "claim-cells.csv", schema("claim-cells"), [])
    return options | {"--tables": [f"stored={folder}/stored", f"mine={folder}/mine"], "--raw": ["stored=raw", "mine=raw"]}


def write_sends_tables(folder):
    """Reads and sends of two machines, whose server's threads are in different places; the arguments of explorer.py."""
    options = write_tables(folder)
    found = [each for profile, place in [("one", "rdma-local"), ("two", "rdma-remote")] for operation in ["read", "send"]
             for each in runs_of("measured", profile=profile, back_end="verbs", experiment=operation, operation=operation, server_threads=place)]
    write(folder / "mine/runs.csv.gz", schema("runs"), found)
    write(folder / "claim-cells.csv", schema("claim-cells"), [])
    return options | {"--tables": [f"mine={folder}/mine"], "--raw": []}


CLAIM = {"schema_version": "4", "id": "far-is-slower", "paper": "paper", "section": "V", "source": "published", "profile": "alpha",
         "value": "10", "low": "9", "high": "11", "unit": "% loss", "expected": "5 to 15", "verdict": "supported",
         "why": f"it holds {HOSTILE}", "quote": f"far memory is slower {BREAKING}", "kind": "claim", "quantifier": "all",
         "generous": "supported"}
CELL = {"schema_version": "2", "id": "far-is-slower", "source": "published", "profile": "alpha", "part": "1", "cell": "1",
        "at": f"queue_pairs 8 {HOSTILE}", "value": "10", "low": "9", "high": "11", "unit": "% loss",
        "measure": "throughput_ops", "measure_unit": "operations/s", "expected": "5 to 15",
        "answer": "holds", "interval_from": "replicates", "runs": "alpha/by-queue-pairs/rdma-remote-8",
        "over_runs": "alpha/by-queue-pairs/rdma-local-8"}


def write_tables(folder):
    """Two folders of tables, and verdicts; the arguments that explorer.py takes for them."""
    write(folder / "stored/runs.csv.gz", schema("runs", "published-runs"), published())
    write(folder / "model/runs.csv.gz", schema("runs"), simulated())
    write(folder / "model/windows.csv.gz", schema("windows"), windows(simulated()))
    for each in simulated():
        if each["experiment"] != "by-queue-pairs":
            write_record(folder / "simulated", each, "one")
    write(folder / "claims.csv", schema("claims"), [CLAIM])
    write(folder / "claim-cells.csv", schema("claim-cells"), [CELL])
    return {
        "--tables": [f"stored={folder}/stored", f"model={folder}/model"], "--raw": ["model=simulated"],
        "--claims": [f"{folder}/claims.csv"], "--cells": [f"{folder}/claim-cells.csv"],
        "--schema": [str(PROJECT / "data/schema")], "--immaterial": [str(PROJECT / "figures/lib/immaterial-factors.csv")],
        "--software": [str(PROJECT / "figures/lib/software-sources.csv")],
        "--views": [str(PROJECT / "paper/explorer/views.toml")], "--page": [str(PROJECT / "paper/explorer")],
        "--out": [f"{folder}/explorer.html"],
    }


def make(options):
    """Runs explorer.py; its status and what it said, on stderr after stdout."""
    arguments = [word for name, values in options.items() for value in values for word in (name, value)]
    done = subprocess.run([sys.executable, PROJECT / "workflow/scripts/explorer.py", *arguments],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    place = Path(sys.argv[1])
    made = [make(write_tables(place)), make(write_own_tables(place / "own")), make(write_sends_tables(place / "sends"))]
    sys.stderr.write("".join(said for _, said in made))
    sys.exit(max(status for status, _ in made))
