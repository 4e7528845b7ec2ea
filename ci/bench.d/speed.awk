# The table of ci/bench-sim: nanoseconds of this machine for each simulated operation, from lines
# round,name,operation,queue_pairs,operations,seconds.
#
#   awk -F, -v load=WORDS -f median.awk -f speed.awk speed.csv

NR > 1 {
    if (!($2 in rounds)) { names[++lines] = $2; queue_pairs[$2] = $4; operations[$2] = $5 }
    ns[$2, ++rounds[$2]] = $6 * 1e9 / $5
}

function of(name,    i, values) {
    for (i = 1; i <= rounds[name]; i++) values[i] = ns[name, i]
    return median(values, rounds[name])
}

function row(name, asked, missed) {
    printf "| %s | %d | %.1f | %.1f | %s |%s\n", name, operations[name], of(name), 1e3 / of(name), asked, \
        missed ? " **misses**" : ""
    misses += missed
}

END {
    if (!lines) exit 2
    print "| " load " | operations | ns each | M/s | asked |"; print "|---|--:|--:|--:|---|"
    base = of(names[1])
    for (line = 1; line <= lines; line++) {
        name = names[line]
        if (line == 1) row(name, "at least 20 M/s", 1e3 / base < 20)
        else if (name ~ /times the operations/) row(name, "as long each, by a quarter", of(name) > 1.25 * base)
        else if (queue_pairs[name] > 8) {
            # 8 queue pairs are 3 levels of the choice of the next event.
            levels = log(queue_pairs[name]) / log(2)
            row(name, sprintf("at most %.1f times as long each, by their logarithm", levels / 3), of(name) > base * levels / 3)
        } else row(name, "", 0)
    }
    exit misses > 0
}
