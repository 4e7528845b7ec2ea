# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# What works without any fault, so that the faults are what the rest shows.

good_runs() {
    # A machine that stands still for longer than that answers nobody meanwhile.
    local also_starved=$UNANSWERED
    run 20 "${short[@]}"
    good_run 'a run works'
    check 'stdout holds a header and one line a run' test "$(wc -l <<<"$stdout")" -eq 2
    run 60 --warm-up 500ms --duration 2s --queue-pairs 128 --threads 4
    good_run '128 queue pairs on 4 threads work'
    check '128 queue pairs all did something' all_did_something 128 "$(last_run)"
    two_clients
    services_of_the_device
    a_quiet_run_has_counters_and_no_trouble
}

# Soft-RoCE has all of them, and receive queues that are shared of each.
services_of_the_device() {
    attempt 20 "$onesided" doctor "${back_end[@]}"
    check 'doctor says which services a device has' \
        grep -q 'services: rc uc ud, shared receive queues: rc uc ud' <<<"$stdout"
}

# Of the kernel's device. A machine that stands still for longer than a request's timeout repeats it.
a_quiet_run_has_counters_and_no_trouble() {
    local try
    [[ -e $packets ]] || return 0
    for try in 1 2 3; do
        run 20 "${short[@]}" --timeout-exponent 18
        if [[ $try -eq 3 ]] || ! doubts link-trouble "$(last_run)"; then break; fi
        repeated 'a run without lost packets' 'a request was repeated, although no packet was lost'
    done
    check 'both sides of a run have the counters of their device' counted hw_counters/sent_pkts "$(last_run)"
    check 'no packet of a quiet run is lost' not doubts link-trouble "$(last_run)"
}

# doubts WORD RUN: its record has that doubt.
doubts() { grep -qF "\"doubt\": \"$1\"" "$2/run.json"; }

not() { ! "$@"; }

# counted NAME RUN: the counter rose on both sides: it is in the record before and after, for each.
counted() {
    awk -F': ' -v name="\"$1\"" '
        index($1, name) { value[++seen] = $2 + 0 }
        END { print seen + 0 " values of " name; exit !(seen == 4 && value[2] > value[1] && value[4] > value[3]) }' "$2/run.json"
}

# all_did_something N RUN: so many queue pairs, none of them idle throughout.
all_did_something() {
    awk -F, -v wanted="$1" 'NR > 1 { sum[$3] += $4 }
        END { for (q in sum) if (sum[q] > 0) n++; print n " of " wanted; exit n != wanted }' "$2/windows.csv"
}

two_clients() {
    local other other_status try
    for ((try = 1; try <= most_tries; try++)); do
        "${client[@]}" --run-id "other-$try" --warm-up 200ms --duration 1s </dev/null >"$work/other" 2>&1 &
        other=$!
        attempt 30 "${client[@]}" --run-id "one-$try" --warm-up 200ms --duration 1s
        wait "$other"
        other_status=$?
        # Where this one came to an end of its own, whether it is done again is for the other to say.
        if [[ $status -le 1 ]] && was_starved "$other_status" "$(<"$work/other")"; then status=1 stderr=$(<"$work/other"); fi
        once_more "$try" 'two clients at once' || break
    done
    good_run 'the first of two clients at once is served'
    check 'the second of two clients at once is served' test "$other_status" -eq 0
    check 'its files are whole, too' "$onesided" check "$raw/unnamed/ad-hoc/other-$try"
}
