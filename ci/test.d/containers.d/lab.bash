# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# Containers on a machine of the lab that has Soft-RoCE and Podman.

test_lab() {
    if is_deep && [[ $(uname -m) != x86_64 ]]; then
        skip 'two containers over Soft-RoCE' "the lab boots x86_64 only, this is $(uname -m)"
    # buildah mount, and a store that belongs to another user.
    elif is_deep && [[ $EUID -ne 0 ]]; then
        skip 'two containers over Soft-RoCE' 'it mounts images, which needs root: sudo ci/test --deep containers'
    else
        deep_part ci/test.d/containers.d/lab.deep second_engine
    fi
}

second_engine() {
    choose_engine || return 0
    local began=$SECONDS case status
    check 'a lab with podman is prepared' ci/lab --with containers --prepare
    echo "   prepared: $((SECONDS - began)) s"
    show_lab || return 0
    for case in two_containers missing_flags; do
        began=$SECONDS
        ci/lab --with containers --quiet --memory-per-node 1G --timeout "$(patience 600)" --files "$out/store" --files "$out/rootfs" \
            --files "$out/session" --out "$out/lab-$case" \
            -- "$out/session/session" "$out/store" "$out/rootfs" "$case" >"$out/$case.log"
        status=$?
        # Its own count says what failed; the lab's own exit codes are beyond.
        [[ $status -le 1 ]] || fail "$case: the lab ran it" "$(tail -n 20 "$out/lab-$case/a.stderr")"
        cat "$out/$case.log"
        add_count_of "$case" "$out/$case.log"
        echo "   $case: $((SECONDS - began)) s, with the boot"
    done
}

# What the machine sees: the image as Podman keeps it and as a folder, the cases, and what Podman is
# to do. Each step says its failure.
show_lab() {
    mkdir -p "$out/session"
    cp ci/{tally,pace}.bash ci/test.d/containers.d/{session,cases.bash,stops.bash,tries.bash} containers/seccomp.json "$out/session"
    told 'the image is shown to the lab' store_of_image &&
        told 'the files of the image are shown to the lab' files_of_image &&
        told 'the runs of the lab are known' expand_runs &&
        told 'the compose file says what the lab is to do' told_by_compose
}

# told NAME COMMAND...: says it only when it fails.
told() {
    local name=$1 said
    shift
    said=$("$@" 2>&1) || { fail "$name" "$(tail -n 5 <<<"$said")"; return 1; }
}

store_of_image() {
    buildah push --quiet "$harness" "containers-storage:[overlay@$out/store+$out/store.run]$harness" &&
        chmod -R a+rX "$out/store"
}

# Owned by a user of the machine: 1001 there is root in a container of its own.
files_of_image() {
    local container
    container=$(buildah from "$harness") && echo "$container" >"$out/mounted" || return
    cp -a "$(buildah mount "$container")" "$out/rootfs" && chown -R 1001:1001 "$out/rootfs"
    buildah rm "$container" && rm "$out/mounted"
}

expand_runs() {
    cp ci/test.d/containers.d/two-containers.toml "$out/session" && chmod a+rwx "$out/session" &&
        run_container --network none --user 0:0 --volume "$out/session:/results" "$harness" \
            expand two-containers.toml --profile lab --out runs.csv
}

# The commands that podman-compose makes of compose.yaml, a line each. Version 1.0.3 has an error:
# it adds a network of its own to network_mode, which is left out.
told_by_compose() {
    local lines
    lines=$(cd containers && ONESIDED_TOKEN=0123456789abcdef0123456789abcdef ONESIDED_RESULTS=/out/results \
        ONESIDED_RUN='--table runs.csv' podman-compose -f compose.yaml --dry-run up -d 2>&1) || return
    sed -nE '/^podman run/{s/ --net [^ ]+ --network-alias [^ ]+//; s/ --label [^ ]+//g; s/^podman run //; s/ -d / /; p}' \
        <<<"$lines" >"$out/session/commands"
    [[ $(wc -l <"$out/session/commands") -eq 2 ]] || { echo "$lines"; return 1; }
}
