# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # server.bash uses; attempt.bash and 4-moved.bash set
# Loads and servers that die, clients that are interrupted.

killed_load() {
    load_of --load-process own-process
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    kill -KILL "$(loads)"
    await_end 60
    failed_run 'a load that is killed' \
        'the server says' "the load's own process" 'ended during the run' 'signal: 9'
    still_works 'after a load that was killed'
}

killed_server() {
    local signal
    for signal in KILL TERM; do
        load_of --load-process own-process
        in_background "${client[@]}" "${long[@]}" "${load[@]}"
        check "SIG$signal to the server: a load runs" loads
        end_server "$signal"
        check "SIG$signal to the server: the load ends with it" within 2 no_load
        await_end 60
        failed_run "SIG$signal to the server: the client" "$server_address is gone"
        serve
        still_works "after SIG$signal to the server"
    done
}

# threads_of_server: how many there are.
threads_of_server() { find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l; }
has_threads() { [[ $(threads_of_server) -le $1 ]]; }

interrupted_client() {
    local idle
    idle=$(threads_of_server)
    load_of --load-process in-process
    in_background "${client[@]}" "${long[@]}" --workers 2 "${load[@]}"
    check 'workers and load are threads of the server' test "$(threads_of_server)" -ge $((idle + 3))
    kill -INT "$measuring"
    check 'they end with a client that is interrupted' within 2 has_threads "$idle"
    await_end 10
    check 'a client that is interrupted is gone' test "$status" -eq 130
    still_works 'after a client that was interrupted'
}

# The runs of the interrupted table that count.
finished_runs() {
    grep -lE '"status": "(valid|doubtful)"' /tmp/interrupted/hosts/interrupted/*[0-9a-f]/run.json |
        xargs -r dirname
}

interrupted_table() {
    local whole before
    local command=("$onesided" run --server "$server_address" --token-file /out/token
        --table "$here/interrupted.csv" --out /tmp/interrupted)
    in_background "${command[@]}"
    within 60 eval '[[ $(wc -l </tmp/work/stdout) -ge 3 ]]'
    check 'a run of the table is beside a load' within 10 loads
    kill -INT "$measuring"
    check 'the load ends with a table that is interrupted' within 2 no_load
    await_end 10
    check 'the table is interrupted' test "$status" -eq 130
    mapfile -t whole < <(finished_runs)
    check 'the table is interrupted in its middle' test "${#whole[@]}" -gt 0 -a "${#whole[@]}" -lt 6
    check 'what it has left is whole' "$onesided" check "${whole[@]}"
    before=$(find "${whole[@]}" -type f -exec sha256sum {} + | sort)
    attempt 120 "${command[@]}"
    check 'the same command takes up the rest' \
        grep -q "${#whole[@]} of 6 runs are complete, $((6 - ${#whole[@]})) to do" <<<"$stderr"
    if was_starved "$status" "$stderr"; then again 120 "${command[@]}"; fi
    ended 'the same command does the rest' 0
    check 'what was finished is as it was' \
        test "$before" = "$(find "${whole[@]}" -type f -exec sha256sum {} + | sort)"
    mapfile -t whole < <(finished_runs)
    check 'then all are there' test "${#whole[@]}" -eq 6
    check 'then all are whole' "$onesided" check "${whole[@]}"
}
