# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# A network that loses, delays and reorders, and a thread that is moved away:
# the first must pass, the last must be noticed.

# with_network COMMAND HOW...: COMMAND with a queueing discipline on both machines.
with_network() {
    tc qdisc add dev eth0 root netem "${@:2}" && order "tc qdisc add dev eth0 root netem ${*:2}"
    "$1"
    tc qdisc del dev eth0 root
    order 'tc qdisc del dev eth0 root'
}

loss() {
    with_network lossy_runs loss 1%
}

lossy_runs() {
    local operation
    for operation in read write fetch-and-add; do
        run 40 --operation "$operation" --warm-up 100ms --duration 2s
        good_run "$operation with 1 % of the packets lost"
    done
    run 40 --loop saturating --window 16 --queue-pairs 4 --operation write --access 64 --warm-up 100ms --duration 1s
    good_run 'saturating writes with 1 % of the packets lost'
}

delay() {
    with_network delayed_run delay 10ms 1ms
}

delayed_run() {
    run 30 --warm-up 100ms --duration 1s
    good_run 'a read over a network that takes 20 ms'
    check 'whose latency shows it' awk -F, 'NR == 2 { exit !($6 > 15e6) }' <<<"$stdout"
}

reordering() {
    with_network reordered_run delay 3ms reorder 90%
}

reordered_run() {
    run 30 --loop saturating --window 8 --operation write --warm-up 100ms --duration 1s
    good_run 'writes over a network that delays one packet of ten'
}

# A client that is at work in the background, measuring by now.
start_measuring() {
    "${client[@]}" "$@" </dev/null >/tmp/work/stdout 2>/tmp/work/stderr &
    measuring=$!
    began=$EPOCHREALTIME
    pause 1.5
}

# Waits at most so many seconds for it; the rest as an attempt.
await_end() {
    local limit=$1
    took=0
    while kill -0 "$measuring" 2>/dev/null && [[ $took -lt $limit ]]; do
        pause 0.1
        took=$(((${EPOCHREALTIME/./} - ${began/./}) / 1000000))
    done
    kill -KILL "$measuring" 2>/dev/null
    wait "$measuring" 2>/dev/null
    status=$?
    stdout=$(</tmp/work/stdout) stderr=$(</tmp/work/stderr)
}

short_outage() {
    start_measuring --timeout-exponent 17 --warm-up 100ms --duration 5s
    order 'ip link set eth0 down; pause 1; ip link set eth0 up'
    await_end 30
    good_run 'a run during which the link is down for a second, with patience for it'
    start_measuring --warm-up 100ms --duration 5s
    order 'ip link set eth0 down; pause 1; ip link set eth0 up'
    await_end 30
    failed_run 'the same without patience' 'transport retry'
    still_serves 'after an outage'
}

moved_thread() {
    local task
    start_measuring --run-id moved --client-threads cpus:0 --warm-up 100ms --duration 3s
    for task in /proc/"$measuring"/task/*; do
        if [[ $(awk '/^Cpus_allowed_list/ { print $2 }' "$task/status") == 0 ]]; then
            taskset -pc 2 "${task##*/}" >/dev/null
        fi
    done
    await_end 20
    ended 'a thread that is moved away makes its run invalid' 1 'moved INVALID (thread-moved)' 'ran on CPU 2' 'asked: 0'
    check 'its record says so' grep -q '"status": "invalid"' /tmp/raw/unnamed/ad-hoc/moved/run.json
    attempt 10 "$onesided" check /tmp/raw/unnamed/ad-hoc/moved
    check 'check does not take it for a good one' test "$status" -eq 1
}
