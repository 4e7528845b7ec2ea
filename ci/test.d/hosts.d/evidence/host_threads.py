"""Whether workers and load did what they were asked to, and load.csv says when."""

import csv


def check_host_threads(run):
    """As many as asked for, each doing what it was asked to."""
    load = run.record["server"]["load"]
    if load is None:
        run.demand(not (int(run.row["workers"]) or run.row["load_bytes"]), "no record of the load")
        return
    run.demand((load["process"] or "") == run.row["load_process"], f"process: {load['process']}")
    published = run.row["worker_pattern"] == "as-published"
    streamed = load["private_table_bytes"] > 0
    run.demand(streamed == published, f"{load['private_table_bytes']} bytes of private tables")
    series = read_series(run)
    for thread in load["threads"]:
        name = f"{thread['role']} {thread['thread']}"
        run.demand(thread["accesses"] > 0, f"{name} did nothing")
        check_mix(run, name, thread)
        check_windows(run, name, thread, series.get((thread["role"], thread["thread"]), []))
    check_pace(run)


def read_series(run):
    series = {}
    file = run.directory / "load.csv"
    if not file.is_file():
        run.fault("there is no load.csv")
        return series
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            windows = series.setdefault((row["role"], int(row["worker"])), [])
            windows.append([int(row[name]) for name in ("window", "start_ns", "accesses")])
    return series


def check_mix(run, name, thread):
    accesses, reads, writes = thread["accesses"], thread["reads"], thread["writes"]
    if thread["role"] == "worker":
        operation, fraction = run.row["worker_operation"], run.row["worker_write_fraction"]
    else:
        operation, fraction = "mixed", run.row["load_write_fraction"]
    if operation in ("compare-and-swap", "fetch-and-add"):
        run.demand(reads == writes == 0, f"{name}: {reads} reads and {writes} writes of atomics")
        won = thread["swaps_won"]
        swaps = operation == "compare-and-swap"
        run.demand((won > 0) == swaps and won <= accesses, f"{name}: {won} swaps won")
        return
    run.demand(reads + writes == accesses, f"{name}: {reads} + {writes} of {accesses}")
    wanted = {"read": 0.0, "write": 1.0}.get(operation)
    if wanted is None:
        wanted = float(fraction)
    # Five standard deviations of that many coins; exact where there is nothing to toss.
    slack = 5 * (wanted * (1 - wanted) / max(accesses, 1)) ** 0.5
    share = writes / max(accesses, 1)
    run.demand(abs(share - wanted) <= slack, f"{name}: {share:.4f} of writes, not {wanted}")


def check_windows(run, name, thread, windows):
    """Dense, of the length asked for; those within the interval give the recorded rate."""
    length = int(run.row["window_ms"]) * 1_000_000
    end = int(run.row["duration_ms"]) * 1_000_000
    run.demand([w[0] for w in windows] == list(range(len(windows))), f"{name}: not every window")
    steps = {after[1] - before[1] for before, after in zip(windows, windows[1:])}
    run.demand(steps == {length}, f"{name}: windows {sorted(steps)} ns apart")
    # What is done after the last window is in the sum only.
    counted = sum(window[2] for window in windows)
    run.demand(0 < counted <= thread["accesses"], f"{name}: {counted} of {thread['accesses']}")
    # A thread makes up for what it missed, and is never ahead of its rate since it began.
    asked = run.row["worker_rate_per_second"] if thread["role"] == "worker" else ""
    most = 1.05 * float(asked) * len(windows) * length / 1e9 + 1 if asked else counted
    run.demand(counted <= most, f"{name}: {counted} since it began, of {most:.0f} at its rate")
    within = [count for _, start, count in windows if start >= 0 and start + length <= end]
    if not within or thread["rate_per_second"] is None:
        run.fault(f"{name}: no window lies within the measured interval")
        return
    rate = sum(within) * 1e9 / (len(within) * length)
    told = thread["rate_per_second"]
    run.demand(abs(rate - told) <= 1e-6 * rate, f"{name}: rate {told}, by load.csv {rate}")


def check_pace(run):
    """Workers keep the rate that they were asked for, or the record says that they did not."""
    asked = float(run.row["worker_rate_per_second"] or 0)
    if not asked:
        return
    threads = run.record["server"]["load"]["threads"]
    rates = [thread["rate_per_second"] or 0 for thread in threads if thread["role"] == "worker"]
    kept = sum(rates) / (asked * len(rates))
    # More than asked is what a thread missed before the interval, and made up for.
    off = {"load-behind-rate": kept < 0.95, "load-ahead-of-rate": kept > 1.05}
    said = {doubt["doubt"] for doubt in run.record["doubts"]}
    for doubt, due in off.items():
        run.demand(due == (doubt in said), f"rates {rates}, asked {asked}, {doubt}: {doubt in said}")
