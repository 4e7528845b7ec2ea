# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# A network that loses, delays and reorders packets, or is away for a moment: what is repeated by the
# kernel's RDMA must pass.

# with_network COMMAND HOW...: COMMAND with a queueing discipline on both machines.
with_network() {
    tc qdisc add dev eth0 root netem "${@:2}" && arrange "tc qdisc add dev eth0 root netem ${*:2}"
    "$1"
    tc qdisc del dev eth0 root
    arrange 'tc qdisc del dev eth0 root'
}

loss() {
    with_network lossy_runs loss 1%
}

lossy_runs() {
    # One in a hundred loses a request and its seven repetitions once in 10^16: a peer that answers none has no CPU.
    local operation also_starved=$UNANSWERED
    for operation in read write fetch-and-add send; do
        run 40 --operation "$operation" --warm-up 100ms --duration 1s
        good_run "$operation with 1 % of the packets lost"
    done
    run 40 --loop saturating --window 16 --queue-pairs 4 --operation write --access 64 --warm-up 100ms --duration 1s
    good_run 'saturating writes with 1 % of the packets lost'
    check 'whose record doubts the link' doubts link-trouble "$(last_run)"
}

# Nobody sends these again. What is not there is counted, and one in ten is far more than a quiet network loses.
lost_messages() {
    with_network lossy_messages loss 10%
}

lossy_messages() {
    local service
    for service in uc ud; do
        run 40 --operation send --service "$service" --warm-up 100ms --duration 1s
        good_run "messages over $service with 10 % of the packets lost"
        check 'whose record counts those that came, some nine of ten' nine_of_ten_came "$(last_run)"
        check 'and doubts the rest' doubts messages-lost "$(last_run)"
    done
}

# nine_of_ten_came RUN: between 80 and 97 of a hundred messages.
nine_of_ten_came() {
    awk -F': *' '
        /"messages_sent":/ { sent = $2 + 0 }
        /"messages_received":/ { came = $2 + 0 }
        END { print came " of " sent; exit !(sent > 100 && came > 0.8 * sent && came < 0.97 * sent) }' "$1/run.json"
}

# The server's thread posts no receive requests any more; its device answers for it.
dry_receives() {
    start_measuring --operation send --loop saturating --window 64 --duration 20s
    arrange 'kill -STOP $server'
    await_end 15
    arrange 'kill -CONT $server'
    failed_run 'messages whose receive queue runs dry' 'the peer had no receive request posted' --server-threads --window
    still_serves 'after a receive queue ran dry'
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

# With patience for it: 1 s x 7, and packets that wait are repeated ever more seldom.
short_outage() {
    local patient=(--timeout-exponent 18 --warm-up 100ms --duration 4s)
    # Not a read: where its answer finds no route, rxe (Linux 6.1) fails the reader's queue pair.
    start_measuring "${patient[@]}" --operation write
    arrange 'ip link set eth0 down; pause 0.5; ip link set eth0 up'
    await_end 30
    good_run 'a write outlasts a link that is down for a moment'
    start_measuring "${patient[@]}"
    arrange 'tc qdisc add dev eth0 root netem loss 100%; pause 0.5; tc qdisc del dev eth0 root'
    await_end 30
    good_run 'a read outlasts a moment in which every packet is lost'
    # 67 ms x 7: less than the outage, more than a busy host keeps an emulated machine waiting.
    start_measuring --timeout-exponent 14 --duration 20s
    arrange 'ip link set eth0 down; pause 3; ip link set eth0 up'
    await_end 15
    failed_run 'without patience, the first outage ends a run' 'queue pair 0, work request'
    still_serves 'after an outage'
}
