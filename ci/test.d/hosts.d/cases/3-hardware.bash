# shellcheck shell=bash disable=SC2154 # attempt.bash and server.bash set
# What is asked of the hardware or read from it, where it is not what it should be.

direct_io() {
    run 60 "${short[@]}" --ddio off
    failed_run 'Direct I/O off, at a server that may not' 'ddio = off' 'start it with --change-ddio'
    serve_anew --change-ddio
    run 60 "${short[@]}" --ddio off
    failed_run 'Direct I/O off, where the machine has none' 'ddio = off' 'rxe0'
    run 60 "${short[@]}"
    good_run 'Direct I/O left as it is'
    check 'Direct I/O left as it is: the record says that there is none' \
        grep -q '"state": "unsupported"' "$(last_run)/run.json"
    serve_anew
}

caches() {
    local state
    if [[ $LAB_ACCEL != tcg ]]; then
        skip 'caches that cannot be proven' "$LAB_ACCEL has caches"
        return
    fi
    for state in flushed warm; do
        run 60 "${short[@]}" --cache-state "$state"
        good_run "caches that are to be $state"
        check "caches that are to be $state: the record says what was found and by which times, or does not guess" \
            found_or_doubted
    done
}

# An emulated machine has no caches of its own, so nothing can be told, as a rule: another program
# on the host may push its memory out of the host's caches at that moment, and then it can.
found_or_doubted() {
    local record
    record=$(last_run)/run.json
    if grep -q '"found": "inconclusive"' "$record"; then
        says_in_record caches-unproven
    else
        grep -q '"found": "' "$record" && grep -Eq '"cached_fraction": [0-9.]+' "$record" &&
            grep -Eq '"miss_ns": [0-9.]+' "$record" && ! says_in_record caches-unproven
    fi
}

numa_balancing() {
    run 60 "${short[@]}"
    check 'automatic NUMA balancing is off: nothing is said of it' \
        eval '! says_in_record numa-balancing'
    if ! echo 1 >/proc/sys/kernel/numa_balancing; then
        skip 'automatic NUMA balancing' 'the kernel does not let it be switched on'
        return
    fi
    run 60 "${short[@]}"
    good_run 'automatic NUMA balancing is on'
    check 'automatic NUMA balancing is on: the record says so' says_in_record numa-balancing
    echo 0 >/proc/sys/kernel/numa_balancing
}
