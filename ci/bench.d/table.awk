# The table of ci/bench, from what bench.d/pairs left:
#
#   awk -f table.awk MACHINE LOAD LINES PAIRS
#
# Of each line: the medians of both programs, and the median over rounds of the
# ratio within a round, which what drifts between rounds does not touch.

function sorted(values, count,    i, j, value) {
    for (i = 2; i <= count; i++) {
        value = values[i]
        for (j = i - 1; j >= 1 && values[j] > value; j--) values[j + 1] = values[j]
        values[j + 1] = value
    }
}

# Of sorted values.
function median(values, count) {
    if (count % 2) return values[(count + 1) / 2]
    return (values[count / 2] + values[count / 2 + 1]) / 2
}

# How many of a sorted sample lie below a 95 % interval of its median, and above it: that of the sign
# test, which supposes nothing of how the sample is distributed. Negative: the sample is too small.
function outside(count,    below, chance, k) {
    chance = 0.5 ^ count
    for (k = 0; (below += chance) <= 0.025; k++) chance *= (count - k) / (k + 1)
    return k - 1
}

# Of one program's numbers in one line.
function median_of(numbers, line,    i, values) {
    for (i = 1; i <= pairs[line]; i++) values[i] = numbers[line, i]
    sorted(values, pairs[line])
    return median(values, pairs[line])
}

function quantity(line, number) {
    return program[line] ~ /_bw$/ ? sprintf("%.1f k/s", number / 1e3) : sprintf("%.2f µs", number / 1e3)
}

function reached(line, ratio) {
    return program[line] ~ /_bw$/ ? ratio >= 1 : ratio <= 1
}

function row(line,    i, ratios, good, middle, count, out, interval) {
    count = pairs[line] + 0
    if (count == 0) {
        printf "| %s | `%s` | | | | | | 0 | **no pair** |\n", line, program[line]
        return
    }
    for (i = 1; i <= count; i++) {
        ratios[i] = ours[line, i] / peer[line, i]
        good += reached(line, ratios[i])
    }
    sorted(ratios, count)
    # As it is printed, so that nobody reads a 1.000 that is marked.
    middle = sprintf("%.3f", median(ratios, count)) + 0
    out = outside(count)
    # All of five pairs are not enough for 95 %.
    interval = out < 0 ? "" : sprintf("%.3f..%.3f", ratios[1 + out], ratios[count - out])
    printf "| %s | `%s` | %s | %s | %.3f | %s | %.2f..%.2f | %d of %d | %s |\n", line, program[line],
        quantity(line, median_of(ours, line)), quantity(line, median_of(peer, line)),
        middle, interval, ratios[1], ratios[count], good, count, reached(line, middle) ? "yes" : "**missed**"
}

function caption(    n) {
    n = loads
    sorted(load, n)
    printf "\n`%s` against perftest %s: one machine of the lab (%s, kernel %s, rdma-core %s) whose",
        machine["onesided"], machine["perftest"], machine["accelerator"], machine["kernel"], machine["rdma_core"]
    printf " Soft-RoCE device talks to itself, one boot. %s rounds, one pair of each line in each,", machine["rounds"]
    print " who comes first alternates."
    printf "CPUs: %s; threads, rings, buffers and region on node %s.", machine["cpus"], machine["node"]
    printf " The host's load meanwhile: %s, %s..%s.\n", median(load, n), load[1], load[n]
    print ""
    print "- Ratio: median over rounds of ours / perftest in the same round; interval: of that median, at 95 %"
    print "  or more (sign test); spread: minimum and maximum; rounds: in how many ours is not behind. Latency"
    print "  must be <= 1, rate >= 1."
    print "- Lines with uc and ud: SEND over unreliable connections and in datagrams, all others over reliable"
    print "  connections. Rates of uc and ud are of the messages that arrived: both sides share the CPUs, and a"
    print "  receiver that loses more leaves its sender more of them."
    printf "- Both: path MTU %s bytes, max_rd_atomic %s, nothing inline, timeout\n",
        machine["mtu"], machine["outstanding"]
    printf "  exponent 14. Rates: send queue and window %s, one of %s requests signaled, %s behind a doorbell,\n",
        machine["depth"], machine["moderation"], machine["post_list"]
    print "  one thread, one completion queue; mean rate, operations per second over all queue pairs."
    print "  Latencies: one operation outstanding, median."
    printf "- Ours measures %s (latency) or %s (rate) after %s of warm-up, with histograms, windows and\n",
        machine["latency_time"], machine["rate_time"], machine["warm_up"]
    print "  placement proof on; perftest does as many operations as ours did in that time, without peak (`-N`);"
    print "  for the rates of uc and ud it measures the same time (`-D`)."
    print "- `ib_write_lat` and `ib_send_lat` print half of a ping-pong's round trip; ours records the whole, which"
    print "  is halved here."
    print "- Ours takes a latency from the doorbell to the completion, perftest from one post to the next."
}

BEGIN { FS = "," }
FILENAME == ARGV[1] { at = index($0, "="); machine[substr($0, 1, at - 1)] = substr($0, at + 1); next }
FILENAME == ARGV[2] { load[++loads] = $1 + 0; next }
FILENAME == ARGV[3] { split($0, word, " +"); order[++lines] = word[1]; program[word[1]] = word[2]; next }
FNR > 1 && $6 != "" && $7 != "" { i = ++pairs[$2]; ours[$2, i] = $6; peer[$2, i] = $7 }
END {
    print "| line | perftest | onesided | perftest | ratio | interval | spread | rounds | reached |"
    print "|---|---|--:|--:|--:|--:|--:|--:|---|"
    for (i = 1; i <= lines; i++) row(order[i])
    caption()
}
