# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# What the machines and devices do not have or do not allow.

# The CPUs that this process may run on, as numbers.
allowed_cpus() {
    local range list
    read -r _ list < <(grep '^Cpus_allowed_list' /proc/self/status)
    for range in ${list//,/ }; do seq "${range%-*}" "${range#*-}"; done
}

nodes() {
    # No kernel has so many of either (NODES_SHIFT and NR_CPUS of x86-64).
    local node=1023 cpu=8191 first
    first=$(allowed_cpus | head -n 1)
    run 20 "${short[@]}" --server-region "$node"
    failed_run 'a node that the server does not have' 'the server says' "server-region = $node" "node $node"
    run 20 "${short[@]}" --client-buffers "$node"
    failed_run 'a node that the client does not have' "client-buffers = $node" "node $node"
    run 20 "${short[@]}" --client-threads "node:$node"
    failed_run 'threads on a node that is not there' "client_threads = node:$node" "node $node"
    run 20 "${short[@]}" --client-threads "cpus:$cpu"
    failed_run 'a CPU that is not there' "client_threads = cpus:$cpu" "$cpu"
    run 20 "${short[@]}" --server-region 0 --server-threads 0 --client-threads "cpus:$first" --client-buffers 0
    good_run 'a node and a CPU that are there are as good as any'
    still_serves 'after wrong nodes'
}

memory() {
    local large=(--address-pattern uniform) all
    # In KiB. Some of it is always in use.
    read -r _ all _ < <(grep '^MemTotal' /proc/meminfo)
    run 20 "${short[@]}" "${large[@]}" --working-set "${all}KiB"
    failed_run 'more memory than a server gives its runs' 'the server says' '--most-memory' 'smaller working set'
    # One that gives them more than there is.
    arrange 'end_server TERM; serving=(--most-memory 65536GiB); serve'
    run 20 "${short[@]}" "${large[@]}" --working-set "${all}KiB" --server-region 0
    failed_run 'a node without enough free memory' server-region 'node 0 has' $((all * 1024)) 'ask for less'
    run 20 "${short[@]}" "${large[@]}" --working-set 1TiB
    ended 'a unit that is none for memory' 2 "'TiB'" GiB
    run 20 "${short[@]}" "${large[@]}" --working-set "$((2 * all))KiB" --server-region any
    failed_run 'more memory than the machine has' 'this machine has' $((2 * all * 1024))
    arrange 'end_server TERM; serving=(); serve'
    still_serves 'after too much memory'
}

queue_pairs() {
    run 60 "${short[@]}" --queue-pairs 1048561 --window 1 --send-queue-depth 1
    failed_run 'more queue pairs than the device has' 1048561 'limit of 1048560'
    run 60 "${short[@]}" --queue-pairs 512 --send-queue-depth 128 --window 128 --loop saturating
    failed_run 'more completions than a completion queue holds' 'completion queue entries' 'limit of 32767'
    run 60 "${short[@]}" --send-queue-depth 2000000
    failed_run 'a send queue deeper than the device has' '--send-queue-depth) is 2000000' 'at most 1048575'
    run 20 "${short[@]}" --operation write --inline 60000 --access 8
    failed_run 'more inline data than a work request holds' 60000
    still_serves 'after too many queue pairs'
}

path_mtu() {
    run 20 "${short[@]}" --mtu 4096 --access 4096
    good_run 'a path MTU of 4096 works where the ports have it'
    arrange 'ip link set eth0 mtu 1500; end_server; serve'
    run 20 "${short[@]}" --mtu 4096
    failed_run "a path MTU above the server's port" 'path MTU 4096' 'active MTU 1024' "server's port" 'ask for 1024'
    arrange 'ip link set eth0 mtu 4200; end_server; serve'
    ip link set eth0 mtu 1500
    run 20 "${short[@]}" --mtu 2048
    failed_run "a path MTU above the client's port" 'path MTU 2048' 'active MTU 1024' "client's port"
    ip link set eth0 mtu 4200
    still_serves 'after a path MTU too large'
}

# as_limited KIB: the words before a command that make it run as root without the right to lock
# as much memory as it likes; it keeps its process id.
as_limited() {
    words=(setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock bash -c "ulimit -l $1; exec \"\$@\"" limited)
}

locked_memory() {
    local words limit advice=('ulimit -l unlimited' '--ulimit memlock=-1:-1' IPC_LOCK)
    for limit in 0 16; do
        as_limited "$limit"
        attempt 20 "${words[@]}" "${client[@]}" "${short[@]}" --access 64KiB
        failed_run "a client that may lock $limit KiB" client_buffers "is $((limit * 1024)) bytes" "${advice[@]}"
    done
    arrange "end_server; serve ${words[*]@Q}"
    run 20 "${short[@]}" --access 64KiB
    failed_run 'a server that may lock 16 KiB' 'the server says' server_region 'is 16384 bytes' "${advice[@]}"
    run 20 "${short[@]}"
    good_run 'a run that the limit has room for'
    arrange 'end_server; serve'
}

# Not through root's rights.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

closed_folder() {
    local user=("${as_nobody[@]}")
    [[ $EUID -eq 0 ]] || user=()
    install -d -m 555 "$work/closed"
    attempt 20 "${user[@]}" "$onesided" run "${back_end[@]}" --out "$work/closed/raw"
    ended 'results where a user may not write' 2 "$work/closed/raw" 'choose another --out'
}

closed_device() {
    chmod 600 /dev/infiniband/uverbs*
    attempt 20 "${as_nobody[@]}" "$onesided" run --out /tmp/public/raw
    ended 'a device that a user may not open' 2 'no permission to open /dev/infiniband/uverbs0' rxe0 --device
}

operations() {
    run 20 "${short[@]}" --operation send --address-pattern uniform --working-set 1MiB
    ended 'a send whose place its sender chooses' 2 'own-slot'
}

absent_devices() {
    run 20 "${short[@]}" --gid-index 77
    failed_run 'a GID index that the port does not have' 'GID index 77' 'which has'
    run 20 "${short[@]}" --device rxe7
    ended 'a device that is not there' 2 rxe7 'this machine has rxe0'
    run 20 "${short[@]}" --device rxe0 --device-port 3
    ended 'a port that is not there' 2 'no port 3' 'ports are 1 to 1'
}

moved_thread() {
    local task allowed moved=0 cpus run="$raw/unnamed/ad-hoc/moved"
    mapfile -t cpus < <(allowed_cpus)
    if [[ ${#cpus[@]} -lt 2 ]]; then
        skip 'a thread that is moved away makes its run invalid' 'there is one CPU'
        return
    fi
    start_measuring --run-id moved --client-threads "cpus:${cpus[0]}" --warm-up 100ms --duration "$(patience 3)s"
    for task in /proc/"$measuring"/task/*; do
        allowed=$(grep '^Cpus_allowed_list' "$task/status")
        if [[ ${allowed##*[[:space:]]} == "${cpus[0]}" ]]; then
            taskset -pc "${cpus[1]}" "${task##*/}" >/dev/null && moved=$((moved + 1))
        fi
    done
    await_end 20
    check 'one thread was pinned, and moved away' test "$moved" -eq 1
    ended 'a thread that is moved away makes its run invalid' 1 \
        'moved INVALID (thread-moved)' "ran on CPU ${cpus[1]}" "asked: ${cpus[0]}"
    check 'its record says so' grep -q '"status": "invalid"' "$run/run.json"
    attempt 10 "$onesided" check "$run"
    check 'check does not take it for a good one' test "$status" -eq 1
}
