"""One run of two client hosts on machines of the lab: each took part from one instant on.

usage: client_hosts.py LAB_OUT     with together/, the run's directory, and booted.a, .b and .c
"""

import csv
import json
import sys
from pathlib import Path

# Clocks of guests are set to whole seconds when they boot.
BOOT_TOLERANCE_S = 3


def operations_by_window(directory, queue_pairs):
    """Operations of these queue pairs, window by window."""
    windows = {}
    with open(directory / "windows.csv", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["queue_pair"]) in queue_pairs:
                window = int(row["window"])
                windows[window] = windows.get(window, 0) + int(row["operations"])
    return [windows[window] for window in sorted(windows)]


def booted(out, host):
    return float((out / f"booted.{host}").read_text())


def checks(out):
    """Pairs of a sentence and whether it is true."""
    directory = out / "together"
    record = json.loads((directory / "run.json").read_text())
    configuration = record["configuration"]
    window_ns = configuration["window_ms"] * 1_000_000
    [further] = record["further_clients"]
    first = further["first_queue_pair"]
    parts = {
        record["client"]["host"]["hostname"]: range(0, first),
        further["side"]["host"]["hostname"]: range(first, configuration["queue_pairs"]),
    }
    yield "the two hosts are a and c, and b serves", (
        list(parts) == ["a", "c"] and record["server"]["host"]["hostname"] == "b"
    )
    for host, queue_pairs in parts.items():
        counts = operations_by_window(directory, queue_pairs)
        yield f"{host} did operations", sum(counts) > 0
        # An emulated machine may stand still for a while; a host that began or ended elsewhere
        # would miss windows at one end.
        busy = [window for window, count in enumerate(counts) if count > 0]
        span = max(busy) - min(busy) + 1 if busy else 0
        yield f"{host} was busy over the whole interval: {counts}", span >= 0.8 * len(counts)
    clocks = {clock["host"]: clock for clock in record["client_clocks"]}
    yield "each host's clock is on record", list(clocks) == ["a", "c"]
    for host, clock in clocks.items():
        yield f"{host} began in time: {clock}", clock["late_ns"] <= window_ns
        yield f"{host}'s offset is known to a window", clock["uncertainty_ns"] < window_ns
        # Clocks count from the boots, which the hosts know by the wall clock.
        due_s = booted(out, "b") - booted(out, host)
        offset_s = clock["offset_ns"] / 1e9
        yield (
            f"{host}'s offset of {offset_s:.3f} s is that of the boots, {due_s:.3f} s",
            abs(offset_s - due_s) < BOOT_TOLERANCE_S,
        )
    offsets = [clock["offset_ns"] for clock in clocks.values()]
    yield f"machines that booted one after another differ: {offsets}", len(set(offsets)) == 2


def main():
    failed = 0
    results = list(checks(Path(sys.argv[1])))
    for sentence, holds in results:
        print(f"ok {sentence.split(':')[0]}" if holds else f"FAIL {sentence}")
        failed += not holds
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
