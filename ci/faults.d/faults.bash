# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # `at` expands; who sources this uses and sets the rest
# The faults: their names in order, what must happen, on which sides they are played, and how each is
# made and taken back. `at SIDE COMMAND` evaluates a command on that side's machine.

faults=() ; declare -A must sides about patient says

# fault_is NAME survives|ends|either SIDES ABOUT [PATTERN]: of what a client that ends must say.
fault_is() { faults+=("$1"); must[$1]=$2 sides[$1]=$3 about[$1]=$4 says[$1]=${5:-is gone}; }

# The exit status of a client that ends: its own, but for who is killed or told to end.
exit_of() { # FAULT SIDE
    case $1.$2 in
        killed.client) echo 137 ;;
        terminated.client) echo 143 ;;
        *) echo 2 ;;
    esac
}

both='client server'
fault_is killed ends "$both" 'its process is killed (SIGKILL)'
fault_is stopped ends "$both" 'its process is stopped (SIGSTOP)'
fault_is terminated ends "$both" 'its process is told to end (SIGTERM)'
fault_is restarted ends server 'its process is ended, and another one started at once'
fault_is loss-1 survives "$both" 'one packet of a hundred that it sends is lost'
fault_is loss-10 either "$both" 'one packet of ten that it sends is lost'
fault_is loss-30 either "$both" 'three packets of ten that it sends are lost'
fault_is delay survives "$both" 'what it sends takes 10 ms longer'
fault_is outage survives "$both" 'for 5 s all that it sends is lost, with a retry budget of 13 s'
fault_is link-down ends "$both" 'its link is down'
fault_is device-deleted either "$both" 'its RDMA device is deleted, which the kernel puts off until nobody uses it'
fault_is mtu either "$both" 'the MTU of its link becomes 1280 bytes'
fault_is same-address ends "$both" "it takes the other's address"
fault_is clock survives "$both" 'its clock is set an hour ahead'
fault_is half-open ends "$both" 'nothing of the control channel that it sends arrives' 'no sign of life|connection is closed|reset'
fault_is full-disk ends client 'the disk with the results is full' 'no space left'
# The timeout exponent of the runs, where not 14 (0.07 s a try): a starved emulated machine stands still for longer
# than seven of those, and what must survive is then ended by the host, not by its fault.
patient[outage]=19 patient[loss-1]=17 patient[delay]=17 patient[clock]=17
not_of_perftest=(restarted full-disk)

# The process of a side, as that side's shell says it.
process_of() { if [[ $1 == client ]]; then echo "$measuring"; else echo "\$server"; fi; }

ip_of() { if [[ $1 == client ]]; then echo "$LAB_ADDRESS"; else echo "$LAB_PEER_ADDRESS"; fi; }
other_of() { if [[ $1 == client ]]; then echo server; else echo client; fi; }

make_killed() { at "$1" "kill -KILL $(process_of "$1")"; }
make_stopped() { at "$1" "kill -STOP $(process_of "$1")"; }
make_terminated() { at "$1" "kill -TERM $(process_of "$1")"; }
make_restarted() { at server 'end_server TERM; serve'; }
# A side that is gone or stopped comes back before the table is done anew.
undo_killed() { [[ $1 == client ]] || at server 'end_server KILL; serve'; }
undo_terminated() { undo_killed "$1"; }
undo_stopped() { at "$1" "kill -CONT $(process_of "$1")"; }
undo_restarted() { :; }

# Both sides have queueing disciplines from the start: one that does nothing yet, for all packets, and one
# that loses those that a filter sends to it. Where one is put in or taken out, the link has none for a
# moment, and rxe (Linux 6.1) then fails the queue pair of a READ whose answer it cannot send.
prepare_link() {
    at "$1" 'tc qdisc add dev eth0 root handle 1: prio bands 4 priomap 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 &&
        tc qdisc add dev eth0 parent 1:3 handle 30: netem && tc qdisc add dev eth0 parent 1:4 handle 40: netem loss 100%'
}
no_netem() { at "$1" 'tc qdisc change dev eth0 parent 1:3 handle 30: netem'; }
netem() { at "$1" "tc qdisc change dev eth0 parent 1:3 handle 30: netem ${*:2}"; }
make_loss-1() { netem "$1" loss 1%; }
make_loss-10() { netem "$1" loss 10%; }
make_loss-30() { netem "$1" loss 30%; }
make_delay() { netem "$1" delay 10ms 1ms; }
make_outage() { netem "$1" loss 100% && pause 5 && no_netem "$1"; }
for name in loss-1 loss-10 loss-30 delay; do eval "undo_$name() { no_netem \"\$1\"; }"; done
undo_outage() { :; }

make_link-down() { at "$1" 'ip link set eth0 down'; }
undo_link-down() { at "$1" 'ip link set eth0 up'; }
# The command returns when nobody uses the device any more.
make_device-deleted() { at "$1" 'rdma link delete rxe0 & deleting=$!'; }
# A server that has the old device open serves nobody over the new one.
undo_device-deleted() {
    at server 'end_server TERM'
    at "$1" 'wait "$deleting"; rdma link add rxe0 type rxe netdev eth0'
    at server serve
}
make_mtu() { at "$1" 'ip link set eth0 mtu 1280'; }
undo_mtu() { at "$1" "ip link set eth0 mtu $mtu"; }
make_same-address() { at "$1" "ip addr add $(ip_of "$(other_of "$1")")/24 dev eth0; ip neigh flush dev eth0"; }
undo_same-address() {
    at "$1" "ip addr del $(ip_of "$(other_of "$1")")/24 dev eth0; ip neigh flush dev eth0"
    at "$(other_of "$1")" 'ip neigh flush dev eth0'
}
make_clock() { at "$1" 'date -s "@$((EPOCHSECONDS + 3600))" >/dev/null'; }
undo_clock() { at "$1" 'date -s "@$((EPOCHSECONDS - 3600))" >/dev/null'; }
make_half-open() {
    local port=dport
    [[ $1 == client ]] || port=sport
    at "$1" "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip protocol 6 0xff match ip $port 18515 0xffff flowid 1:4"
}
undo_half-open() { at "$1" 'tc filter del dev eth0 parent 1: prio 1'; }
# It cannot be filled to the end by one who writes in pieces: the last bytes go one by one.
make_full-disk() { head -c 64m /dev/zero >"$raw/fill" 2>/dev/null; yes >>"$raw/fill" 2>/dev/null; return 0; }
undo_full-disk() { rm -f "$raw/fill"; }
