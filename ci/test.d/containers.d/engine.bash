# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The engine of this host that runs images; buildah built them.

engine='' network=onesided-test-$$

# The first that is there and can run one. Sets $engine, empty where there is none.
choose_engine() {
    [[ -z $engine ]] || return 0
    if docker info >/dev/null 2>&1; then
        engine=docker
        # The one of an earlier run, where a part of the stage is run alone.
        hand_over "$harness"
    elif podman run --rm --network none "$harness" --version >"$out/podman.log" 2>&1; then
        engine=podman
    else
        skip 'containers on this host' "no engine runs here: no docker, and podman says: $(tail -n 1 "$out/podman.log")"
        return 1
    fi
    echo "   engine: $engine $($engine version --format '{{.Client.Version}}')"
}

# hand_over IMAGE: what buildah built, to Docker, which has a store of its own.
hand_over() {
    [[ $engine == docker ]] || return 0
    buildah push --quiet "$1" "docker-daemon:$1" >"$out/push.log" 2>&1 ||
        fail "docker takes $1" "$(tail -n 3 "$out/push.log")"
}

# in_image WHAT IMAGE ...: asks the engine.
in_image() {
    local what=$1 image=$2
    shift 2
    case $what in
        inspect) "$engine" image inspect --format "$1" "$image" ;;
        bytes) "$engine" image inspect --format '{{.Size}}' "$image" ;;
        run) run_container --network none "$image" "$@" ;;
        shell) run_container --network none --entrypoint /bin/sh "$image" -c "$1" ;;
    esac
}

# What is started here can be found again: a container outlives the command that started it.
mark=onesided.test=$$
run_container() { "$engine" run --rm --label "$mark" "$@"; }

# Those that were interrupted, and what a part left running.
end_containers() {
    local left
    [[ -n $engine ]] || return 0
    if [[ -n ${composed:-} ]]; then (cd containers && compose down --volumes --timeout 0) >/dev/null 2>&1; fi
    composed=''
    mapfile -t left < <("$engine" ps --all --quiet --filter "label=$mark")
    if [[ ${#left[@]} -gt 0 ]]; then "$engine" rm --force "${left[@]}" >/dev/null 2>&1; fi
    "$engine" network rm "$network" >/dev/null 2>&1
    return 0
}

# What a container's user wrote, by another container: who is not root may not remove it.
clear_as_root() {
    [[ -n $engine ]] && run_container --network none --user 0:0 --volume "$out:/out" --entrypoint /bin/sh "$harness" \
        -c 'rm -rf /out/*' && rm -rf "$out"
}

# doctor_says NAME STATUS FRAGMENT... -- FLAG...: in a container with these flags doctor ends so and
# says each fragment; one that begins with ! it does not say.
doctor_says() {
    local name=$1 wanted=$2 fragments=() said status fragment
    shift 2
    while [[ $1 != -- ]]; do fragments+=("$1"); shift; done
    shift
    said=$(run_container "$@" "$harness" doctor 2>&1)
    status=$?
    if [[ $status -ne $wanted ]]; then
        fail "$name" "exit $status, not $wanted: $said"
        return
    fi
    for fragment in "${fragments[@]}"; do
        if [[ $fragment == !* ]]; then
            [[ $said != *"${fragment#!}"* ]] || { fail "$name" "says '${fragment#!}': $said"; return; }
        elif [[ $said != *"$fragment"* ]]; then
            fail "$name" "does not say '$fragment': $said"
            return
        fi
    done
    pass "$name"
}
