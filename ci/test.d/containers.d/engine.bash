# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The engine of this host that runs images; buildah built them.

engine=''

# The first that is there and can run one. Sets $engine, empty where there is none.
choose_engine() {
    [[ -z $engine ]] || return 0
    if docker info >/dev/null 2>&1; then
        local image
        for image in "$harness" "$analysis"; do
            buildah push --quiet "$image" "docker-daemon:$image" >"$out/push.log" 2>&1 ||
                fail "docker takes $image" "$(tail -n 3 "$out/push.log")"
        done
        engine=docker
    elif podman run --rm --network none "$harness" --version >"$out/podman.log" 2>&1; then
        engine=podman
    else
        skip 'containers on this host' "no engine runs here: no docker, and podman says: $(tail -n 1 "$out/podman.log")"
        return 1
    fi
    echo "   engine: $engine $($engine version --format '{{.Client.Version}}')"
}

# in_image WHAT IMAGE ...: asks the engine; without one buildah, which has no security but runs.
in_image() {
    local what=$1 image=$2
    shift 2
    case $what in
        inspect) "$engine" image inspect --format "$1" "$image" ;;
        bytes) "$engine" image inspect --format '{{.Size}}' "$image" ;;
        run) "$engine" run --rm --network none "$image" "$@" ;;
        shell) "$engine" run --rm --network none --entrypoint /bin/sh "$image" -c "$1" ;;
    esac
}

# Those that a part left running.
running=()
end_containers() {
    if [[ ${#running[@]} -gt 0 ]]; then "$engine" rm --force "${running[@]}" >/dev/null 2>&1; fi
    running=()
}

# doctor_says NAME STATUS FRAGMENT... -- FLAG...: in a container with these flags doctor ends so and
# says each fragment; one that begins with ! it does not say.
doctor_says() {
    local name=$1 wanted=$2 fragments=() said status fragment
    shift 2
    while [[ $1 != -- ]]; do fragments+=("$1"); shift; done
    shift
    said=$("$engine" run --rm "$@" "$harness" doctor 2>&1)
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
