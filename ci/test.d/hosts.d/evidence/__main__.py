"""Whether runs of the lab were what their table asked for, by the records that they left.

    evidence TABLE RAW --nic-node N --cpus-per-node N
    evidence TABLE --list

TABLE is a run table, RAW the directory that `onesided run --out` was given. Prints a line for each
thing that is checked, ok or FAIL with what is wrong, and ends with their count; --list prints only
their names. A line is of one run, or, where all places move at once, of the runs in which a place
has a word. It takes nothing from the program's own verdict: nodes are worked out anew from the
words that were asked and the pages and CPUs that were seen.
"""

import argparse
import csv
import pathlib

import host_threads
import placement
from run import Run


def names_of(row):
    """A run by what its design varies: by each place where all of them move."""
    places = [place for place in placement.PLACES if row["experiment"] == f"place-{place.replace('_', '-')}"]
    if row["experiment"] == "place-two-nodes":
        places = placement.PLACES
    if places:
        return [f"{place} = {row[place]}, and no other goes by that" for place in places]
    return [name_of(row)]


def name_of(row):
    """A run of workers or of an independent load."""
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
    parser.add_argument("raw", type=pathlib.Path, nargs="?")
    parser.add_argument("--nic-node", type=int)
    parser.add_argument("--cpus-per-node", type=int)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    with arguments.table.open(newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: (row["experiment"], row["run_id"]))
    # What is wrong, by name, in the order of the first run of each.
    wrong = {name: [] for row in rows for name in names_of(row)}
    if arguments.list:
        print(*wrong, sep="\n")
        return
    lab = placement.Lab(arguments.nic_node, arguments.cpus_per_node)
    for row in rows:
        run = Run(row, arguments.raw)
        check(run, lab)
        for name in names_of(row):
            wrong[name] += run.faults
    for name, faults in wrong.items():
        print(f"FAIL {name}: {'; '.join(faults)}" if faults else f"ok {name}")
    failed = sum(map(bool, wrong.values()))
    print(f"{len(wrong) - failed} passed, {failed} failed, 0 skipped")


if __name__ == "__main__":
    main()
