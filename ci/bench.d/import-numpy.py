"""Reads the study's files of rates as one would with NumPy: the other side of ci/bench-import.

    import-numpy.py read|same|plain RESULTS

`read` parses (numpy.loadtxt, which is in C) and averages each client. `same` does what
`onesided import nurdma` does with such a file, whatever NumPy can do of it at once: checksum,
recovered clock, both estimators, bootstrap, quantiles of each client. `plain` does that, too, but
parses as most scripts do, line by line. Prints how many files and lines there were, and the sums
over files of the study's estimator and, but for `read`, of the robust one.
"""

import hashlib
import math
import pathlib
import sys

import numpy

OPERATIONS = 1e6
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def recovered(clients):
    """Start and end of each line's epoch: the one loop that NumPy cannot do at once."""
    last = {}
    now = 1
    starts, ends = [], []
    for client in clients.tolist():
        before = last.get(client)
        now = max(now, 1 if before is None else before + 1)
        starts.append(now - 1 if before is None else before)
        ends.append(now)
        last[client] = now
    return numpy.array(starts), numpy.array(ends)


def interval(series, random):
    """Circular block bootstrap of the mean."""
    length = len(series)
    block = max(3, math.ceil(1.5 * length ** (1 / 3)))
    if length < 2 * block:
        return None
    sums = numpy.concatenate(([0], numpy.cumsum(numpy.concatenate((series, series[:block])))))
    blocks = -(-length // block)
    begins = random.integers(0, length, (1000, blocks))
    lengths = numpy.full(blocks, block)
    lengths[-1] = length - (blocks - 1) * block
    means = (sums[begins + lengths] - sums[begins]).sum(axis=1) / length
    return numpy.quantile(means, (0.025, 0.975))


def robust(clients, rates, count, random):
    """Mean of all clients' rates while all were active, and its interval."""
    starts, ends = recovered(clients)
    operations = numpy.bincount(clients, weights=rates * (ends - starts), minlength=count) * 0.01
    scaled = rates * numpy.minimum(1, OPERATIONS / numpy.maximum(operations, 1))[clients]
    changes = numpy.zeros(ends[-1] + 1)
    numpy.add.at(changes, starts, scaled)
    numpy.subtract.at(changes, ends, scaled)
    series = numpy.cumsum(changes)[:-1]
    active = rates > 0
    first = numpy.full(count, len(series))
    numpy.minimum.at(first, clients[active], starts[active])
    last = numpy.zeros(count, dtype=int)
    numpy.maximum.at(last, clients, ends)
    inside = series[first.max() : last.min()]
    if len(inside) < 5:
        return 0
    interval(inside, random)
    return inside.mean()


def parsed(path, what):
    """Clients and rates of a file, line by line."""
    if what != "plain":
        table = numpy.loadtxt(path, delimiter="\t", ndmin=2)
        return table[:, 0].astype(int), table[:, 2]
    clients, rates = [], []
    with path.open() as file:
        for line in file:
            client, _, rate = line.split("\t")
            clients.append(int(client))
            rates.append(float(rate))
    return numpy.array(clients), numpy.array(rates)


def of_file(path, what, random):
    """Lines of a file, and both estimates."""
    same = what != "read"
    if same:
        hashlib.sha256(path.read_bytes()).hexdigest()
    clients, rates = parsed(path, what)
    lines = numpy.bincount(clients)
    sums = numpy.bincount(clients, weights=rates)
    there = lines > 0
    published = (sums[there] / lines[there]).sum()
    if not same or not there.all():
        return len(rates), published, 0
    for client in range(len(lines)):
        own = rates[clients == client]
        own.std()
        numpy.quantile(own, QUANTILES, method="inverted_cdf")
    return len(rates), published, robust(clients, rates, len(lines), random)


def is_of_rates(path):
    there = path.stat().st_size > 0
    return there and "closedloop" not in path.parts and path.parent.name != "memcached"


def main(what, results):
    paths = sorted(path for path in pathlib.Path(results).rglob("*.result") if is_of_rates(path))
    random = numpy.random.default_rng(1)
    totals = numpy.array([of_file(path, what, random) for path in paths]).sum(axis=0)
    print("files", len(paths))
    print("lines", int(totals[0]))
    print("published", totals[1])
    print("robust", totals[2])


main(*sys.argv[1:])
