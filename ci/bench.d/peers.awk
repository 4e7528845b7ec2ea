# The second table of ci/bench-sim, from lines round,peer,operations,seconds: times of a round
# beside that of ours in it.
#
#   awk -F, -f median.awk -f peers.awk peers.csv

NR > 1 {
    if (!($2 in rounds)) names[++peers] = $2
    seconds[$2, ++rounds[$2]] = $4
    operations = $3
}

END {
    if (!peers) exit 2
    print "| event simulation | M operations/s | times as long as ours |"; print "|---|--:|--:|"
    for (peer = 1; peer <= peers; peer++) {
        name = names[peer]
        for (i = 1; i <= rounds[name]; i++) {
            rate[i] = operations / seconds[name, i] / 1e6
            ratio[i] = seconds[name, i] / seconds[names[1], i]
        }
        printf "| %s | %.1f | %.2f |\n", name, median(rate, rounds[name]), median(ratio, rounds[name])
    }
}
