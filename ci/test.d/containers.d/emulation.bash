# shellcheck shell=bash disable=SC2154,SC2034 # ci/test.d/containers and engine.bash set and use
# Two containers of this host on a private network: containers/compose.emulation.yaml.

. ci/test.d/containers.d/stops.bash

test_emulation() {
    choose_engine || return 0
    two_containers_talk
    two_containers_measure
}

compose() {
    if [[ $engine == podman ]]; then podman-compose -f compose.emulation.yaml "$@"
    elif docker compose version >/dev/null 2>&1; then docker compose -f compose.emulation.yaml "$@"
    elif command -v docker-compose >/dev/null; then docker-compose -f compose.emulation.yaml "$@"
    else return 127
    fi
}

# Without a device a server says so and ends; a client waits for one by name, and says that.
two_containers_talk() {
    local token=ONESIDED_TOKEN=0123456789abcdef0123456789abcdef said status
    "$engine" network create "$network" >/dev/null 2>&1
    said=$(run_container "${flags[@]}" --network "$network" --env "$token" \
        "$harness" serve --listen 0.0.0.0:18515 2>&1)
    status=$?
    if [[ -e /sys/class/infiniband ]]; then
        skip 'a server without a device says so' 'this host has one'
    else
        check 'a server without a device says so, exit 2' test "$status" -eq 2 -a -z "${said##*no RDMA device*}"
    fi
    "$engine" network rm "$network" >/dev/null 2>&1
}

# Its first try is the one that compose started.
client_of_compose() {
    local ended
    [[ $try -eq 1 ]] || "$engine" start onesided-emulated-client || return
    ended=$(timeout "$(patience 120)" "$engine" wait onesided-emulated-client)
    "$engine" logs onesided-emulated-client
    return "${ended:-124}"
}

two_containers_measure() {
    local status run
    mkdir -m 777 "$out/results"
    export ONESIDED_TOKEN=0123456789abcdef0123456789abcdef ONESIDED_RESULTS=$out/results
    export ONESIDED_RUN='--operation write --warm-up 20ms --duration 200ms'
    composed=yes
    if ! (cd containers && compose up -d) >"$out/compose.log" 2>&1; then
        fail 'compose.emulation.yaml starts' "$(tail -n 10 "$out/compose.log")"
        return
    fi
    tries 'two containers measure' "$out/client.log" client_of_compose
    status=$?
    check 'two containers measure over the emulation back end' test "$status" -eq 0
    [[ $status -eq 0 ]] || cat "$out/client.log"
    run=$(last_run_in "$out/results")
    cp -r "$out/results" "$out/seen" && chmod -R a+rwX "$out/seen"
    check 'its files are whole' run_container --network none --volume "$out/seen:/results" "$harness" check "${run/#"$out"\/results/\/results}"
    check 'its record says of which revision the program is' grep -q "_revision\": \"$ONESIDED_REVISION\"" "$run/run.json"
    check 'its record says that it is emulated' grep -q '"source": "emulated"' "$run/run.json"
    check 'the server, as process 1, ends in order at once when it is stopped' stops_at_once "$engine" onesided-emulated-server
    end_containers
}
