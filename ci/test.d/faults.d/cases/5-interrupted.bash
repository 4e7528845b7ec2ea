# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# Tables of runs that are interrupted: by a disk, by the death or the silence of
# either side, by a link. What is finished stays, and the same command goes on.

# table RAW: the arguments of a client that does the table.
table() {
    client_of_table=("${client[@]/#"$raw"/$1}" --table "$here/runs.csv")
}

# The table's client in the background, once two of its runs have ended well.
start_table() {
    rm -rf "$1"
    table "$1"
    # Now: on a busy host the lines of the table before would be counted until the client is there.
    : >"$work/stdout"
    "${client_of_table[@]}" </dev/null >"$work/stdout" 2>"$work/stderr" &
    measuring=$!
    measuring_since=$EPOCHREALTIME
    while [[ $(grep -cE ',(valid|doubtful),' "$work/stdout") -lt 2 ]] && kill -0 "$measuring" 2>/dev/null; do
        pause 0.05
    done
}

# part_of_a_table RAW N: N runs of the table are in RAW and whole, nothing else is.
part_of_a_table() {
    local directory=$1/faults/interrupted
    local runs=("$directory"/*[0-9a-f])
    [[ ${#runs[@]} -eq $2 ]] || { printf '%s runs, not %s:\n' "${#runs[@]}" "$2"; ls "$directory"; return 1; }
    "$onesided" check "${runs[@]}"
}

# goes_on NAME RAW: repeating the command does only what is missing.
goes_on() {
    local before try first lines also_starved=$UNANSWERED
    before=$("$onesided" check --table "$here/runs.csv" --raw "$2" 2>/dev/null | grep -c '^MISSING')
    table "$2"
    for ((try = 1; try <= most_tries; try++)); do
        attempt 60 "${client_of_table[@]}"
        [[ $try -gt 1 ]] || { first=$stderr lines=$(wc -l <<<"$stdout"); }
        once_more "$try" "$1: the same command does the rest" || break
    done
    stderr=$first
    ended "$1: the same command does the rest" 0 "$((8 - before)) of 8 runs are complete, $before to do"
    check "$1: it does nothing else" test "$lines" -eq $((before + 1))
    check "$1: then all are there" part_of_a_table "$2" 8
}

# intact NAME RAW: what the interrupted table has left is whole.
intact() {
    local done_before=("$2"/faults/interrupted/*[0-9a-f])
    local whole=0 run
    for run in "${done_before[@]}"; do
        if grep -qE '"status": "(valid|doubtful)"' "$run/run.json"; then
            "$onesided" check "$run" >/dev/null || { fail "$1: finished runs are intact" "$run"; return; }
            whole=$((whole + 1))
        fi
    done
    check "$1: finished runs are intact" test "$whole" -ge 2
}

# small_disk FOLDER OPTIONS: one that can be full or read-only, as far as this process sees.
small_disk() {
    mkdir -p "$1"
    mount -t tmpfs -o "$2" tmpfs "$1"
}

full_disk() {
    local disk=$work/small
    # Room for two runs and the lock of a third, and not for eight.
    small_disk "$disk" size=128k
    table "$disk"
    attempt 60 "${client_of_table[@]}"
    ended 'a disk that is full' 2 "$disk/faults/interrupted" 'no space left' 'write elsewhere'
    intact 'a disk that is full' "$disk"
    mount -o remount,size=8m "$disk"
    goes_on 'a disk with space again' "$disk"
    umount "$disk"
}

read_only_disk() {
    local disk=$work/fixed
    small_disk "$disk" ro,size=8m
    table "$disk"
    attempt 10 "${client_of_table[@]}"
    ended 'a disk that is read-only from the start' 2 "$disk" 'choose another --out'
    check 'which is said before anything is measured' test -z "$stdout"
    umount "$disk"
    small_disk "$disk" size=8m
    start_table "$disk/raw"
    # Not while a file is being written.
    within 20 mount -o remount,ro "$disk" 2>/dev/null
    await_end 20
    ended 'a disk that becomes read-only' 2 "$disk/raw/faults" read-only 'write elsewhere'
    intact 'a disk that becomes read-only' "$disk/raw"
    mount -o remount,rw "$disk"
    goes_on 'a disk that is writable again' "$disk/raw"
    umount "$disk"
}

killed_server() {
    local left=$work/killed
    start_table "$left"
    arrange 'end_server KILL'
    await_end 15
    ended 'a server that is killed' 2 "$server_address is gone" 'runs are complete' 'start it again and repeat'
    intact 'a server that is killed' "$left"
    arrange serve
    goes_on 'a server that is back' "$left"
}

# How many sessions the server has reported the end of. One that was between two
# runs has left, one in a run is lost.
ended_sessions() { order 'grep -cE "left after|lost:" "$server_log" || true'; }
more_ended() { [[ $(ended_sessions) -gt $1 ]]; }

killed_client() {
    local left=$work/dead sessions
    sessions=$(ended_sessions)
    start_table "$left"
    kill -KILL "$measuring"
    await_end 5
    check 'a client that is killed is gone' test "$status" -eq 137
    check 'the server has reported its end' within 10 more_ended "$sessions"
    intact 'a client that is killed' "$left"
    goes_on 'a client that is back' "$left"
}

stopped_server() {
    start_measuring --run-id unanswered --timeout-exponent 18 --duration 20s
    arrange 'kill -STOP $server'
    await_end 15
    failed_run 'a server that is stopped' "$server_address is gone" 'no sign of life'
    arrange 'kill -CONT $server'
    still_serves 'after it was stopped'
}

# A server that is stopped in the warm-up and goes on in the measured interval: its worker makes up for what it
# missed, at more than its rate. A busy host may do that to a run by itself, or begin to measure too late.
hurrying_worker() {
    local try paced=(--workers 1 --worker-rate 100000 --timeout-exponent 18 --warm-up 2s --duration 2s)
    for ((try = 1; try <= most_tries; try++)); do
        run 30 "${paced[@]}"
        if [[ $try -eq $most_tries ]] || ! doubts load-ahead-of-rate "$(last_run)"; then break; fi
        repeated 'a worker at a rate' 'it was ahead of it'
    done
    ended 'a worker at a rate' 0
    check 'a worker at a rate: that it was ahead of it is not said' not doubts load-ahead-of-rate "$(last_run)"
    for ((try = 1; try <= most_tries; try++)); do
        start_measuring "${paced[@]}"
        arrange 'kill -STOP $server'
        pause 2.3
        arrange 'kill -CONT $server'
        await_end 30
        if [[ $try -eq $most_tries ]] || doubts load-ahead-of-rate "$(last_run)"; then break; fi
        repeated 'a worker that makes up for what it missed' 'it was stopped after the warm-up, or too briefly'
    done
    check 'a worker that makes up for what it missed: its record says so' doubts load-ahead-of-rate "$(last_run)"
}

# How many clients the server has given up.
given_up() { order 'grep -c "no sign of life" "$server_log" || true'; }
more_given_up() { [[ $(given_up) -gt $1 ]]; }

stopped_client() {
    local before
    before=$(given_up)
    start_measuring --timeout-exponent 18 --duration 20s
    kill -STOP "$measuring"
    check 'a client that is stopped is given up by the server' within 15 more_given_up "$before"
    kill -CONT "$measuring"
    await_end 30
    ended 'a client that was stopped too long is reported' 2 "$server_address is gone"
    still_serves 'after a stopped client'
}

# Once the link is up again, packets pass some time later.
link_works() { ping -q -c 1 -W 1 "${server_address%:*}" >/dev/null; }

server_link_down() {
    local left=$work/cut
    start_table "$left"
    arrange 'ip link set eth0 down'
    await_end 40
    ended "the server's link goes down" 2 "$server_address is gone" 'runs are complete'
    check 'the run that it hit says so in its record' grep -rq '"status": "failed"' "$left"
    intact "the server's link goes down" "$left"
    arrange 'ip link set eth0 up'
    within 20 link_works
    goes_on 'the link is up again' "$left"
}

server_gone_for_good() {
    start_measuring --run-id gone --duration 20s
    arrange 'ip link set eth0 down'
    await_end 40
    failed_run 'the link of a single run goes down' gone
    arrange 'ip link set eth0 up'
    within 20 link_works
    still_serves 'after its link was down'
}

# The NIC of a link that is down may keep packets that it has sent; each holds its queue pair, and
# Soft-RoCE then waits up to 50 s to destroy that (Linux, __rxe_cleanup of rxe_pool.c), in which
# nothing can end the program.
client_link_down() {
    start_measuring --run-id unplugged --duration 20s
    ip link set eth0 down
    await_end 90
    failed_run "the client's own link goes down" unplugged
    run 15 "${short[@]}" --wait-for-server 2s
    ended 'a run over a link that is down' 2 "$server_address"
    ip link set eth0 up
    within 20 link_works
    still_serves "after the client's link was down"
}
