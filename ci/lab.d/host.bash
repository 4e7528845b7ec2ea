# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# The job without a machine: on an RDMA device of this host, or on Soft-RoCE
# over one of its network interfaces. With several hosts, a, b and so on are
# processes of this one. Faults that a command injects hit this host: hence never chosen
# by itself, only by --where host or ONESIDED_LAB=host.

LAB_PID_COMMAND='' LAB_PIDS_PEERS=()

# Runs the job on this host; sets LAB_EXIT.
lab_on_host() {
    local device netdev address
    device=$(lab_host_device) || return 1
    netdev=$(lab_host_netdev "$device")
    address=$(ip -4 -o address show dev "${netdev:-none}" 2>/dev/null | awk 'NR == 1 { sub("/.*", "", $4); print $4 }')
    if [[ -z $address ]]; then
        lab_fault "$device has no IPv4 address (its interface: ${netdev:-unknown})"
        return 1
    fi
    export LAB_DEVICE=$device LAB_ADDRESS=$address LAB_PEER_ADDRESS=$address LAB_ACCEL=host
    export LAB_OUT=$LAB_OUT_DIRECTORY PATH=$LAB_JOB/share/bin:$PATH LAB_NIC_NODE
    LAB_NIC_NODE=$(lab_host_node "$device" "$netdev")
    lab_say "running on this host's $device ($address, node ${LAB_NIC_NODE:-unknown}); --nodes, --nic-node, --mtu and the like do not apply"
    lab_host_run
}

# The device asked for, or the first with an active port, or a new one.
lab_host_device() {
    local device
    for device in ${ONESIDED_LAB_DEVICE:-$(ls /sys/class/infiniband 2>/dev/null)}; do
        if grep -qs ACTIVE "/sys/class/infiniband/$device"/ports/*/state; then
            echo "$device"
            return 0
        fi
    done
    if [[ -n ${ONESIDED_LAB_DEVICE:-} ]]; then
        lab_fault "ONESIDED_LAB_DEVICE=$ONESIDED_LAB_DEVICE is not a device with an active port"
        return 1
    fi
    lab_host_add_device
}

lab_host_add_device() {
    local netdev name=onesided0 tool
    for tool in ip rdma modprobe; do
        if ! command -v "$tool" >/dev/null; then
            lab_fault "this host has no active RDMA device, and no $tool to add one with"
            return 1
        fi
    done
    if ! "${LAB_AS_ROOT[@]}" modprobe rdma_rxe 2>/dev/null; then
        lab_fault "this host has no active RDMA device, and its kernel $(uname -r) no rdma_rxe to emulate one: use --where vm"
        return 1
    fi
    netdev=$(ip -4 -o route show default | awk '{ for (i = 1; i < NF; i++) if ($i == "dev") { print $(i + 1); exit } }')
    if [[ -z $netdev ]]; then
        lab_fault "this host has no active RDMA device, and no default route whose interface could carry an emulated one"
        return 1
    fi
    if ! "${LAB_AS_ROOT[@]}" rdma link add "$name" type rxe netdev "$netdev" 2>/dev/null; then
        lab_fault "cannot add a Soft-RoCE device over $netdev: it takes root, and an interface with Ethernet frames"
        return 1
    fi
    : >"$LAB_JOB/added-device"
    echo "$name"
}

# The network interface of a device; nothing when it has none.
lab_host_netdev() {
    cat "/sys/class/infiniband/$1/parent" 2>/dev/null \
        || cat "/sys/class/infiniband/$1/ports/1/gid_attrs/ndevs/0" 2>/dev/null \
        || find "/sys/class/infiniband/$1/device/net" -mindepth 1 -printf '%f\n' -quit 2>/dev/null
}

# The node of a device: of the nearest ancestor in sysfs that has one. A virtio
# device has none of its own, its PCI parent does.
lab_host_node() {
    local start path
    for start in "/sys/class/infiniband/$1/device" "/sys/class/net/$2/device"; do
        path=$(realpath -e "$start" 2>/dev/null) || continue
        while [[ $path != / ]]; do
            if [[ -f $path/numa_node ]]; then
                grep -v '^-1$' "$path/numa_node"
                return
            fi
            path=$(dirname "$path")
        done
    done
}

lab_host_run() {
    local argv peer index host
    mapfile -d '' -t argv < <(lab_argv "${LAB_COMMAND[@]}")
    cd "$LAB_OUT_DIRECTORY" || return 1
    for index in "${!LAB_PEERS[@]}"; do
        host=${LAB_MACHINES[index + 1]}
        mapfile -d '' -t peer < <(lab_argv "${LAB_PEERS[index]}")
        LAB_HOST=$host setsid "${peer[@]}" </dev/null >"$host.stdout" 2>"$host.stderr" &
        LAB_PIDS_PEERS+=("$!")
    done
    LAB_HOST=a timeout --kill-after=10 "$LAB_TIMEOUT" "${argv[@]}" </dev/null >>a.stdout 2>>a.stderr &
    LAB_PID_COMMAND=$!
    lab_follow "$LAB_PID_COMMAND"
    wait "$LAB_PID_COMMAND"
    LAB_EXIT=$?
    LAB_PID_COMMAND=''
    if [[ $LAB_EXIT -eq 124 ]]; then
        lab_fault "time is up: the command did not end within $LAB_TIMEOUT s; its output is in $LAB_OUT_DIRECTORY"
    fi
    echo "$LAB_EXIT" >a.exit
    wait "${LAB_FOLLOWERS[@]}"
    lab_host_stop_peers
}

lab_host_stop_peers() {
    local patience=50 index pid
    for index in "${!LAB_PIDS_PEERS[@]}"; do
        pid=${LAB_PIDS_PEERS[index]}
        kill -TERM -- "-$pid" 2>/dev/null
        while kill -0 "$pid" 2>/dev/null && [[ $((patience -= 1)) -gt 0 ]]; do sleep 0.1; done
        kill -KILL -- "-$pid" 2>/dev/null
        wait "$pid"
        echo $? >"$LAB_OUT_DIRECTORY/${LAB_MACHINES[index + 1]}.exit"
    done
    LAB_PIDS_PEERS=()
}

# Ends what still runs, and removes the device if it was ours.
lab_clean_host() {
    if [[ -n $LAB_PID_COMMAND ]]; then kill "$LAB_PID_COMMAND" 2>/dev/null; fi
    lab_host_stop_peers
    if [[ -e ${LAB_JOB:-}/added-device ]]; then
        "${LAB_AS_ROOT[@]}" rdma link delete onesided0
    fi
}
