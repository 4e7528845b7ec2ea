# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# Tables of runs that are interrupted: by a disk, by the death or the silence of
# either side, by a link. What is finished stays, and the same command goes on.

# table RAW ARGUMENTS...: the arguments of a client that does the table.
table() {
    client_of_table=("$onesided" run --server "$server_address" --token-file /out/token
        --table "$here/runs.csv" --out "$1" "${@:2}")
}

# The table's client in the background, in the middle of its third run or later.
start_table() {
    rm -rf "$1"
    table "$@"
    "${client_of_table[@]}" </dev/null >/tmp/work/stdout 2>/tmp/work/stderr &
    measuring=$!
    measuring_since=$EPOCHREALTIME
    while [[ $(wc -l </tmp/work/stdout) -lt 3 ]] && kill -0 "$measuring" 2>/dev/null; do pause 0.05; done
}

# goes_on NAME RAW: repeating the command does only what is missing.
goes_on() {
    local before
    before=$("$onesided" check --table "$here/runs.csv" --raw "$2" 2>/dev/null | grep -c '^MISSING')
    table "$2"
    attempt 60 "${client_of_table[@]}"
    ended "$1: the same command does the rest" 0 "$((8 - before)) of 8 runs are complete, $before to do"
    check "$1: it does nothing else" test "$(wc -l <<<"$stdout")" -eq $((before + 1))
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

full_disk() {
    mkdir -p /tmp/small
    mount -t tmpfs -o size=96k tmpfs /tmp/small
    table /tmp/small
    attempt 60 "${client_of_table[@]}"
    ended 'a disk that is full' 2 /tmp/small/faults/interrupted 'no space left' 'write elsewhere'
    intact 'a disk that is full' /tmp/small
    mount -o remount,size=8m /tmp/small
    goes_on 'a disk with space again' /tmp/small
    umount /tmp/small
}

read_only_disk() {
    mkdir -p /tmp/fixed
    mount -t tmpfs -o ro,size=8m tmpfs /tmp/fixed
    table /tmp/fixed
    attempt 10 "${client_of_table[@]}"
    ended 'a disk that is read-only from the start' 2 /tmp/fixed 'choose another --out'
    check 'which is said before anything is measured' test -z "$stdout"
    umount /tmp/fixed
    mount -t tmpfs -o size=8m tmpfs /tmp/fixed
    start_table /tmp/fixed/raw
    until mount -o remount,ro /tmp/fixed 2>/dev/null; do pause 0.01; done
    await_end 20
    ended 'a disk that becomes read-only' 2 /tmp/fixed/raw/faults read-only 'write elsewhere'
    intact 'a disk that becomes read-only' /tmp/fixed/raw
    mount -o remount,rw /tmp/fixed
    goes_on 'a disk that is writable again' /tmp/fixed/raw
    umount /tmp/fixed
}

killed_server() {
    start_table /tmp/killed
    arrange 'end_server KILL'
    await_end 15
    ended 'a server that is killed' 2 "$server_address is gone" 'runs are kept' 'start it again and repeat'
    intact 'a server that is killed' /tmp/killed
    arrange serve
    goes_on 'a server that is back' /tmp/killed
}

# How many sessions the server has told the end of. One that was between two
# runs has left, one in a run is lost.
ended_sessions() { order 'grep -cE "left after|lost:" /tmp/server.log || true'; }

# more_ended N: the server tells of the end of more than N of them, soon.
more_ended() {
    for _ in {1..100}; do
        [[ $(ended_sessions) -le $1 ]] || return 0
        pause 0.1
    done
    order 'cat /tmp/server.log'
    return 1
}

killed_client() {
    local sessions
    sessions=$(ended_sessions)
    start_table /tmp/dead
    kill -KILL "$measuring"
    await_end 5
    check 'a client that is killed is gone' test "$status" -eq 137
    check 'the server has told of its end' more_ended "$sessions"
    intact 'a client that is killed' /tmp/dead
    goes_on 'a client that is back' /tmp/dead
}

stopped_server() {
    start_measuring --run-id unanswered --timeout-exponent 18 --duration 20s
    arrange 'kill -STOP $server'
    await_end 15
    failed_run 'a server that is stopped' "$server_address is gone" 'no sign of life'
    arrange 'kill -CONT $server'
    still_serves 'after it was stopped'
}

stopped_client() {
    start_measuring --timeout-exponent 18 --duration 20s
    kill -STOP "$measuring"
    pause 8
    check 'a client that is stopped is given up by the server' order grep -q "'no sign of life'" /tmp/server.log
    kill -CONT "$measuring"
    await_end 30
    ended 'a client that was stopped too long is told' 2 "$server_address is gone"
    still_serves 'after a stopped client'
}

server_link_down() {
    start_table /tmp/cut
    arrange 'ip link set eth0 down'
    await_end 40
    ended "the server's link goes down" 2 "$server_address is gone" 'runs are kept'
    check 'the run that it hit says so in its record' grep -rq '"status": "failed"' /tmp/cut
    intact "the server's link goes down" /tmp/cut
    arrange 'ip link set eth0 up; pause 2'
    goes_on 'the link is up again' /tmp/cut
}

server_gone_for_good() {
    start_measuring --run-id gone --duration 20s
    arrange 'ip link set eth0 down'
    await_end 40
    failed_run 'the link of a single run goes down' gone
    arrange 'ip link set eth0 up; pause 2'
    still_serves 'after its link was down'
}

client_link_down() {
    start_measuring --run-id unplugged --duration 20s
    ip link set eth0 down
    await_end 40
    failed_run "the client's own link goes down" unplugged
    run 15 "${short[@]}" --wait-for-server 2s
    ended 'a run over a link that is down' 2 "$server_address"
    ip link set eth0 up
    pause 2
    still_serves "after the client's link was down"
}
