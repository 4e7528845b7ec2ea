"""Whether runs of the lab were what their table asked for, by the records that they left.

    evidence TABLE RAW --nic-node N --cpus-per-node N

TABLE is a run table, RAW the directory that `onesided run --out` was given. Prints a line a run, ok
or FAIL with what is wrong, and ends with their count. It takes nothing from the program's own
verdict: nodes are worked out anew from the words that were asked and the pages and CPUs that were
seen.
"""

import argparse
import csv
import pathlib

import host_threads
import placement
from run import Run


def name_of(run):
    """The run by what its design varies."""
    row = run.row
    if row["experiment"].startswith("place-"):
        place = row["experiment"].removeprefix("place-").replace("-", "_")
        return f"{place} = {row[place]}, and only that moves"
    if row["workers"] != "0":
        words = [row["worker_operation"], row["worker_pattern"], row["worker_write_fraction"]]
        if row["worker_rate_per_second"]:
            words.append(f"{row['worker_rate_per_second']}/s")
        return "workers: " + " ".join(word for word in words if word)
    words = [row["load_process"], row["load_memory"], row["load_pattern"]]
    return "load: " + " ".join(words + [row["load_write_fraction"]])


def check(run, lab):
    if run.read():
        placement.check_memory(run, lab)
        placement.check_threads(run, lab)
        host_threads.check_host_threads(run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("raw", type=pathlib.Path)
    parser.add_argument("--nic-node", type=int, required=True)
    parser.add_argument("--cpus-per-node", type=int, required=True)
    arguments = parser.parse_args()
    lab = placement.Lab(arguments.nic_node, arguments.cpus_per_node)
    with arguments.table.open(newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: (row["experiment"], row["run_id"]))
    failed = 0
    for row in rows:
        run = Run(row, arguments.raw)
        check(run, lab)
        failed += bool(run.faults)
        print(f"{'FAIL' if run.faults else 'ok'} {name_of(run)}" + ": " * bool(run.faults)
              + "; ".join(run.faults))
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")


if __name__ == "__main__":
    main()
