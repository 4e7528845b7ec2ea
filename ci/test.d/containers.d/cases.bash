# shellcheck shell=bash disable=SC2016,SC2154 # doctor quotes by backquotes; session and tries set the rest
# Cases of containers on a machine that has an RDMA device: sourced by session.

. "$(dirname "${BASH_SOURCE[0]}")/stops.bash"
image=localhost/onesided-harness:latest

# What compose.yaml makes of a service, without its command.
command_of() { sed -n "/^--name=onesided-$1 /p" commands; }

# Uses $client of the case.
client_of_podman() {
    if [[ $try -eq 1 ]]; then podman run "${client[@]}"; else podman start --attach onesided-client; fi
}

two_containers() {
    local server client status run number
    read -ra server < <(command_of server)
    read -ra client < <(command_of client)
    check 'compose.yaml gives devices, locked memory, one capability and the host network' \
        has_flags "${server[*]}"
    mkdir -m 777 /out/results
    cp runs.csv /out/results/
    podman run --detach "${server[@]}" >/dev/null 2>/out/server.err || fail 'the server starts' "$(</out/server.err)"
    tries 'two containers over Soft-RoCE measure' /out/client.log client_of_podman
    status=$?
    check 'the client did its runs' test "$status" -eq 0
    [[ $status -eq 0 ]] || { tail -n 20 /out/client.log; podman logs onesided-server; }
    check 'the server, as process 1, ends in order at once when it is stopped' stops_at_once podman onesided-server
    check 'check finds all runs of the table whole' podman run --rm --network host --security-opt seccomp=unconfined \
        --volume /out/results:/results "$image" check --table /results/runs.csv --raw /results/raw
    check 'the table has four runs' test "$(find /out/results/raw -name run.json | wc -l)" -eq 4
    while read -r run; do
        number=$((${number:-0} + 1))
        check "run $number says soft-roce" grep -q '"source": "soft-roce"' "$run"
    done < <(find /out/results/raw -name run.json)
    podman rm --force --time 1 onesided-server >/dev/null 2>&1
}

has_flags() {
    local flag
    for flag in '--network host' '--device /dev/infiniband' '--ulimit memlock=-1:-1' '--cap-drop ALL' \
        '--cap-add IPC_LOCK' --read-only 'seccomp=./seccomp.json' no-new-privileges '-u 1000:1000'; do
        [[ $1 == *"$flag"* ]] || { echo "no $flag in: $1"; return 1; }
    done
}

# doctor NAME STATUS FRAGMENT... -- FLAG...: in a container of these flags doctor ends so, and says so.
doctor() {
    local name=$1 wanted=$2 fragments=() fragment said status
    shift 2
    while [[ $1 != -- ]]; do fragments+=("$1"); shift; done
    shift
    said=$("${engine[@]}" "$@" "${program[@]}" doctor 2>&1)
    status=$?
    if [[ $status -ne $wanted ]]; then
        fail "$name" "exit $status, not $wanted: $said"
        return
    fi
    for fragment in "${fragments[@]}"; do
        [[ $said == *"$fragment"* ]] || { fail "$name" "does not say '$fragment': $said"; return; }
    done
    pass "$name"
}

# Each lacks one flag of these, or has another in its place.
missing_flags() {
    local rest=(--network host --cap-drop ALL --security-opt seccomp=./seccomp.json --ulimit memlock=-1:-1)
    engine=(podman run --rm --log-driver none) program=("$image")
    doctor 'with all flags nothing is missing' 0 'ok    port: rxe0' -- "${rest[@]}" --device /dev/infiniband
    doctor 'no device, and doctor names the flag' 1 '-> `--device /dev/infiniband`' -- "${rest[@]}"
    doctor 'a volume in place of a device, and doctor names the flag' 1 '-> `--device /dev/infiniband`' \
        -- "${rest[@]}" --volume /dev/infiniband:/dev/infiniband
    doctor 'no memlock, and doctor names the flag' 0 '-> `--ulimit memlock=-1:-1`' \
        -- "${rest[@]}" --ulimit memlock=65536:65536 --device /dev/infiniband
    denied_by_module
    not_everybodys
    rootless
}

# A security module keeps a file that its mode would allow: AppArmor here, for SELinux needs a
# policy for the whole machine.
denied_by_module() {
    printf '%s\n' 'profile onesided-denied flags=(attach_disconnected) {' ' file,' ' capability,' ' network,' \
        ' unix,' ' signal,' ' deny /dev/infiniband/** rw,' '}' >/tmp/profile
    if ! apparmor_parser --replace /tmp/profile 2>/tmp/profile.err; then
        fail 'a profile of AppArmor is loaded' "$(</tmp/profile.err)"
        return
    fi
    doctor 'a security module denies the device, and doctor names the flag' 1 '-> its mode allows it, the AppArmor profile onesided-denied does not: `--security-opt apparmor=unconfined`' \
        -- "${rest[@]}" --device /dev/infiniband --security-opt apparmor=onesided-denied
}

not_everybodys() {
    chgrp 104 /dev/infiniband/uverbs0
    chmod 660 /dev/infiniband/uverbs0
    doctor 'a device of a group, and doctor names the flag' 1 '`--group-add 104`' -- "${rest[@]}" --device /dev/infiniband
    doctor 'with the group that doctor names, the device opens' 0 'ok    port: rxe0' -- "${rest[@]}" --device /dev/infiniband --group-add 104
    chmod 666 /dev/infiniband/uverbs0
}

# A user without privileges, who may lock 64 KiB and is in the device's group. The image is shown
# as a folder that this user owns: podman would copy all of it otherwise.
rootless() {
    local as_user=(setpriv --reuid 1001 --regid 1001 --init-groups env HOME=/home/tester XDG_RUNTIME_DIR=/run/user/1001)
    local rest=(--network host --security-opt seccomp=./seccomp.json --user 1000:1000 --workdir /results
        --tmpfs /results)
    useradd --create-home --uid 1001 --groups "$(stat -c %g /dev/infiniband/uverbs0),104" tester
    mkdir -p /run/user/1001 /home/tester/.config/containers /tmp/rootless
    sed 's,/tmp/podman/,/tmp/rootless/,; /additional/d' /etc/containers/storage.conf >/home/tester/.config/containers/storage.conf
    chown -R 1001:1001 /run/user/1001 /home/tester /tmp/rootless
    ulimit -l 64
    # shellcheck disable=SC2154 # session sets
    engine=("${as_user[@]}" podman run --rm --log-driver none) program=(--rootfs "$rootfs:O" onesided)
    doctor "rootless Podman opens the device, and doctor names the user's own limit and what raises it" 0 \
        'rootless, user 1000' 'ok    port: rxe0' 'at most 65536 bytes here. Raise it on the host first' \
        '/etc/security/limits.conf' -- "${rest[@]}" --device /dev/infiniband
    chgrp 104 /dev/infiniband/uverbs0
    chmod 660 /dev/infiniband/uverbs0
    doctor 'rootless Podman: a device of a group, and doctor names the flag' 1 '`--group-add keep-groups`' \
        -- "${rest[@]}" --device /dev/infiniband
    doctor 'with the flag that doctor names, rootless Podman opens the device' 0 'ok    port: rxe0' -- "${rest[@]}" --device /dev/infiniband --group-add keep-groups
    chmod 666 /dev/infiniband/uverbs0
}
