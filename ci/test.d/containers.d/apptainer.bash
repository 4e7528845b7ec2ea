# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# Apptainer, which clusters have: the image as one file, made and run by an ordinary user.

apptainer_server='' apptainer_fabric=/dev/shm/onesided-apptainer-$$

test_apptainer() {
    check 'the definition for Apptainer asks for no privileges' asks_for_nothing containers/onesided.def
    check 'containers/build --archive refuses two images' refuses_two_images
    deep_part ci/test.d/containers.d/apptainer.deep play_apptainer
}

# A section %post, %setup or %files would want root, or ids that a cluster's user does not have.
asks_for_nothing() {
    local sections
    sections=$(grep -oE '^%[a-z]+' "$1" | sort | tr '\n' ' ')
    echo "sections: $sections"
    [[ $sections == '%help %runscript %test ' ]] && grep -qx 'Bootstrap: docker-archive' "$1"
}

refuses_two_images() {
    local status=0
    containers/build --engine buildah --archive "$out/two.tar" || status=$?
    [[ $status -eq 2 && ! -e $out/two.tar ]]
}

# skip_apptainer WHY: all that is not tried then.
skip_apptainer() {
    local name
    while read -r name; do skip "$name" "$1"; done <ci/test.d/containers.d/apptainer.deep
}

play_apptainer() {
    local folder=$out/apptainer home=/home/user cluster=() outside=() exec=(apptainer exec)
    find_apptainer || return 0
    find_program
    check 'the harness image is saved for Apptainer' containers/build --engine buildah --base-from-packages \
        --program "$onesided" --archive "$folder/onesided.tar" harness
    cp containers/onesided.def "$folder"
    check 'a user without privileges makes the file' "${cluster[@]}" apptainer build onesided.sif onesided.def
    [[ -s $folder/onesided.sif ]] || return 0
    echo "   onesided.sif has $(stat --format=%s "$folder/onesided.sif") bytes"
    exec+=(onesided.sif)
    check 'its labels say version and revision' has_labels
    check 'the program runs in it' "${cluster[@]}" "${exec[@]}" onesided --version
    check 'apptainer run is the program' is_the_program
    check 'the devices in it are those of the host' has_devices_of_host
    check 'a program of the host runs in it, as the launchers do it' takes_program
    check 'doctor finds there what it finds on the host' doctor_agrees
    two_processes_measure
}

# Sets $cluster, which runs a command as a cluster's user in $folder, called $home there, and $outside, which does
# it on this host. Apptainer is that of another suite, whatever is installed: one version for all. Says why
# where it cannot be had.
find_apptainer() {
    local tree
    mkdir "$folder"
    if [[ $EUID -ne 0 ]]; then
        skip_apptainer 'to run that of another suite needs root: sudo ci/test --deep containers'
        return 1
    elif ! unshare --mount true 2>"$out/namespace.log"; then
        skip_apptainer "root mounts nothing here: $(tail -n 1 "$out/namespace.log")"
        return 1
    fi
    tree=$(unpacked_apptainer) || {
        skip_apptainer "Apptainer cannot be had: $(tail -n 1 "$out/apptainer.log" | cut -c1-160)"
        return 1
    }
    lay_own "$tree" "$out/own"
    cluster=(unshare --mount --propagation private ci/test.d/containers.d/own-root "$tree" "$out/own" "$folder")
    outside=(env --chdir="$folder" setpriv --reuid 1234 --regid 1234 --clear-groups)
    if ! "${cluster[@]}" apptainer --version >"$out/version.log" 2>&1; then
        fail 'apptainer says its version' "$(tail -n 3 "$out/version.log")"
        return 1
    fi
    echo "   $(tail -n 1 "$out/version.log")"
    if ! "${cluster[@]}" unshare --user setpriv --version >"$out/namespace.log" 2>&1; then
        skip_apptainer "users make no namespaces here: $(tail -n 1 "$out/namespace.log" | cut -c1-160)"
        return 1
    fi
    if [[ ! -e /dev/fuse ]]; then
        echo '   no /dev/fuse: the file is unpacked for each command'
        exec+=(--unsquash)
    fi
}

# Prints where it is, unpacked once and kept.
unpacked_apptainer() {
    local cache=${ONESIDED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/onesided} kept
    kept=$cache/apptainer-$(sha256sum <ci/test.d/containers.d/apptainer-of-sid | cut -c1-12)
    if [[ ! -d $kept ]]; then
        mkdir -p "$cache" && rm -rf "$kept.part" &&
            ci/test.d/containers.d/apptainer-of-sid "$kept.part" >"$out/apptainer.log" 2>&1 &&
            mv "$kept.part" "$kept" || return
    fi
    echo "$kept"
}

# lay_own TREE OWN: what is of this test's own on that system.
lay_own() {
    mkdir -p "$2/tmp" && chmod 1777 "$2/tmp"
    cp -a "$1/etc" "$2"
    printf '%s\n' root:x:0:0:root:/root:/bin/sh user:x:1234:1234:user:/home/user:/bin/sh >"$2/etc/passwd"
    printf '%s\n' root:x:0: user:x:1234: >"$2/etc/group"
    # Apptainer shows these of a host to a container.
    cp /etc/hosts "$2/etc"
    : >"$2/etc/localtime"
    : >"$2/etc/resolv.conf"
    if [[ -e /dev/fuse ]]; then mknod -m 666 "$2/fuse" c 10 229; fi
    chown 1234:1234 "$folder"
    # The user's way to the folder.
    chmod a+x "$out"
}

has_labels() {
    local labels
    labels=$("${cluster[@]}" apptainer inspect --labels onesided.sif)
    echo "$labels"
    grep -qx "org.opencontainers.image.revision: $ONESIDED_REVISION" <<<"$labels" &&
        grep -qx "org.opencontainers.image.version: $(sed -n 's/^version = "\(.*\)"/\1/p' harness/Cargo.toml)" <<<"$labels"
}

is_the_program() {
    [[ $("${cluster[@]}" apptainer run "${exec[@]:2}" --version) == "$("$onesided" --version)" ]]
}

has_devices_of_host() {
    diff <(ls /dev) <("${cluster[@]}" "${exec[@]}" ls /dev)
}

# The program of the image, taken out of it, is one that this host runs.
takes_program() {
    "${cluster[@]}" "${exec[@]}" cat /usr/local/bin/onesided >"$folder/onesided" && chmod 755 "$folder/onesided" &&
        "${outside[@]}" "$folder/onesided" --version && "${cluster[@]}" "${exec[@]}" "$home/onesided" --version
}

# What doctor finds: without numbers, and without what it says of a container only, as this host may be one.
doctor_agrees() {
    local there here
    there=$("${cluster[@]}" "${exec[@]}" onesided doctor; echo "exit $?")
    here=$("${outside[@]}" "$folder/onesided" doctor; echo "exit $?")
    echo "$there"
    diff <(findings <<<"$here") <(findings <<<"$there")
}

findings() { sed -nE '/^ok +(container|memory policy|results):/d; s/^((ok|doubt|STOP|exit) *[^:]*).*/\1/p'; }

# Server and client, each in a container of its own.
two_processes_measure() {
    local address='' server_log=$out/apptainer-server.log run began us status tenths
    export ONESIDED_TOKEN=0123456789abcdef0123456789abcdef ONESIDED_BACK_END=rmc ONESIDED_FABRIC=$apptainer_fabric
    "${cluster[@]}" "${exec[@]}" onesided serve --listen 127.0.0.1:0 >"$server_log" 2>&1 &
    apptainer_server=$!
    for ((tenths = 10 * $(patience 30); tenths > 0; tenths--)); do
        address=$(sed -nE 's/.*serving .* on ([^ ;]+:[0-9]+); .*/\1/p' "$server_log")
        if [[ -n $address ]] || ! kill -0 "$apptainer_server" 2>/dev/null; then break; fi
        sleep 0.1
    done
    tries 'two processes measure' "$out/client.log" timeout "$(patience 120)" "${cluster[@]}" "${exec[@]}" \
        "$home/onesided" run --server "$address" --out "$home/raw" --operation write --warm-up 20ms --duration 200ms
    status=$?
    check 'two processes measure over the emulation back end' test "$status" -eq 0
    [[ $status -eq 0 ]] || cat "$out/client.log"
    began=$EPOCHREALTIME
    kill -TERM "$apptainer_server" 2>/dev/null
    wait "$apptainer_server"
    status=$?
    apptainer_server=''
    us=$((${EPOCHREALTIME/./} - ${began/./}))
    check 'the server ends in order at once on SIGTERM' test "$status" -eq 0 -a "$us" -lt 5000000
    [[ $status -eq 0 ]] || cat "$server_log"
    unset ONESIDED_TOKEN ONESIDED_BACK_END ONESIDED_FABRIC
    run=$(last_run_in "$folder")
    check 'its files are whole' "${cluster[@]}" "${exec[@]}" onesided check "${run/#"$folder"/"$home"}"
    check 'its record says that it is emulated' grep -q '"source": "emulated"' "$run/run.json"
    check 'its record says of which revision the program is' grep -q "_revision\": \"$ONESIDED_REVISION\"" "$run/run.json"
}

# What an interrupted run leaves.
end_apptainer() {
    [[ -z $apptainer_server ]] || kill "$apptainer_server" 2>/dev/null
    rm -rf "$apptainer_fabric"
}
