# shellcheck shell=bash
# The QEMU command line of one lab machine:
#
#   node 0            node 1            ... node N-1
#   CPUs, memory      CPUs, memory
#   |                 |
#   pcie.0            pxb-pcie (numa_node = NIC node)
#   |                 `- root port -- virtio-net (host_mtu) -- eth0 -- rxe0
#   9p: root (read-only), lab (the job), out, one share per --files
#
# Any QEMU since 7.2 understands it; one machine alone also boots with older ones.

# SLIT distances: to itself (the ACPI specification's value), and to another
# node as two-socket servers report it.
LAB_DISTANCE_LOCAL=10
LAB_DISTANCE_REMOTE=21

# Sets the array `machine` for host $1 (a, b, ...) from the LAB options.
lab_machine() {
    local host=$1
    machine=(qemu-system-x86_64 -name "lab-$host" -nodefaults -no-user-config -display none -no-reboot
        # The guest ends QEMU by a write to this port, without an ACPI shutdown.
        -device "isa-debug-exit,iobase=0xf4,iosize=0x04"
        -chardev "file,id=console,path=$(lab_comma "$LAB_OUT_DIRECTORY/$host.console")" -serial chardev:console
        -kernel "$LAB_RECIPE/kernel" -initrd "$LAB_RECIPE/initrd"
        # Without the two of the TSC the guest reads the HPET: 1 µs a clock read. Emulation has nothing that
        # could be attacked by speculation, and is slow at what keeps a processor from it. It translates code anew for
        # each address at which a process has it: with random ones 200 starts of two small programs take twice as long.
        -append "console=ttyS0 quiet no_timer_check panic=-1 net.ifnames=0 numa_balancing=disable lab.host=$host clocksource=tsc tsc=reliable mitigations=off norandmaps")
    lab_machine_accelerator
    lab_machine_nodes
    lab_machine_nic "$host"
    lab_machine_shares
}

lab_machine_accelerator() {
    case $LAB_ACCEL in
        kvm) machine+=(-M q35 -accel kvm -cpu host) ;;
        tcg) machine+=(-M q35 -accel "tcg,thread=multi" -cpu max) ;;
    esac
}

lab_machine_nodes() {
    local node other first
    machine+=(-m "$((LAB_NODES * LAB_MEMORY_MIB))M"
        -smp "$((LAB_NODES * LAB_CPUS)),sockets=$LAB_NODES,cores=$LAB_CPUS,threads=1")
    for ((node = 0; node < LAB_NODES; node++)); do
        first=$((node * LAB_CPUS))
        machine+=(-object "memory-backend-ram,id=memory$node,size=${LAB_MEMORY_MIB}M"
            -numa "node,nodeid=$node,cpus=$first-$((first + LAB_CPUS - 1)),memdev=memory$node")
    done
    for ((node = 0; node < LAB_NODES; node++)); do
        for ((other = 0; other < LAB_NODES; other++)); do
            machine+=(-numa "dist,src=$node,dst=$other,val=$((
                node == other ? LAB_DISTANCE_LOCAL : LAB_DISTANCE_REMOTE))")
        done
    done
}

# The NIC behind a bridge that belongs to the NIC's node.
lab_machine_nic() {
    local host=$1
    machine+=(-device "pxb-pcie,id=pxb1,bus_nr=64,numa_node=$LAB_NIC_NODE,bus=pcie.0"
        -device "pcie-root-port,id=port1,bus=pxb1,chassis=2,slot=2")
    lab_machine_wire "$host"
    machine+=(-device "virtio-net-pci,netdev=wire,bus=port1,host_mtu=$LAB_MTU,romfile=,mac=52:54:00:00:00:0$(lab_index "$host")")
}

# One machine alone has a port that nobody else is plugged into. Two share a Unix
# socket. Of more, a carries a hub with a socket for each other:
#
#   a: NIC -- hub -- socket of b -- b: NIC
#              '---- socket of c -- c: NIC
lab_machine_wire() {
    local host=$1 other
    if [[ $host != a ]]; then
        machine+=(-netdev "stream,id=wire,server=off,addr.type=unix,addr.path=$(lab_wire "$host")")
    elif [[ $LAB_HOSTS -eq 2 ]]; then
        machine+=(-netdev "stream,id=wire,server=on,addr.type=unix,addr.path=$(lab_wire b)")
    else
        machine+=(-netdev "hubport,id=wire,hubid=0")
        for other in "${LAB_MACHINES[@]:1}"; do
            machine+=(-netdev "stream,id=wire-$other,server=on,addr.type=unix,addr.path=$(lab_wire "$other")"
                -netdev "hubport,id=hub-$other,hubid=0,netdev=wire-$other")
        done
    fi
}

# The socket between machine $1 and a.
lab_wire() {
    printf '%s' "$LAB_JOB/wire-$1"
}

# The number of machine $1, from 1: the last byte of its addresses.
lab_index() {
    local index
    for index in "${!LAB_NAMES[@]}"; do
        if [[ ${LAB_NAMES[index]} == "$1" ]]; then printf '%d' "$((index + 1))"; fi
    done
}

lab_machine_shares() {
    local tag path
    lab_machine_share root "$LAB_RECIPE/root" readonly=on
    lab_machine_share lab "$LAB_JOB/share" readonly=off
    lab_machine_share out "$LAB_OUT_DIRECTORY" readonly=off
    while IFS=$'\t' read -r tag path; do
        lab_machine_share "$tag" "$path" readonly=on
    done <"$LAB_JOB/share/shares"
}

lab_machine_share() {
    machine+=(-fsdev "local,id=$1,path=$(lab_comma "$2"),$3,security_model=none,multidevs=remap"
        # Named, because QEMU would plug it into the NIC's bus.
        -device "virtio-9p-pci,bus=pcie.0,fsdev=$1,mount_tag=$1")
}

# A comma within a value of a QEMU option is written twice.
lab_comma() {
    printf '%s' "${1//,/,,}"
}
