# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# Devices that cannot work, and none at all.

# A second device over an interface without cable, without address.
second_device() {
    modprobe dummy
    ip link add wire0 type dummy && ip link set wire0 up && rdma link add rxe1 type rxe netdev wire0
}

addressless_device() {
    if ! second_device; then
        skip 'a device without an address' 'rxe refuses a dummy interface'
        return
    fi
    # Its only GID is the link-local one that every port has.
    run 20 "${short[@]}" --device rxe1
    failed_run 'a device whose interface has no address' 'GID index 0' IPv6 "peer's 10.0.0.2 is IPv4" 'ip addr add'
}

inactive_port() {
    ip link set wire0 down
    run 20 "${short[@]}" --device rxe1
    failed_run 'a port that is not active' 'port 1 of rxe1' 'not active' 'ip link set'
    attempt 20 "$onesided" doctor --device rxe1
    check 'doctor says the same' grep -q '^STOP.*rxe1' <<<"$stdout"
    rdma link delete rxe1
}

no_device() {
    rdma link delete rxe0
    run 20 "${short[@]}"
    ended 'a machine without a device' 2 'there is no RDMA device' 'rdma link add'
    attempt 20 "$onesided" serve --token-file /out/token
    ended 'a server without a device' 2 'there is no RDMA device'
    attempt 20 "$onesided" topology
    ended 'topology without a device' 0
    attempt 20 "$onesided" doctor
    ended 'doctor without a device' 1
    rdma link add rxe0 type rxe netdev eth0
    run 20 "${short[@]}"
    ended 'a device that is there again' 0
}
