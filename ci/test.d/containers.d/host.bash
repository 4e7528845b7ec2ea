# shellcheck shell=bash disable=SC2154,SC2016 # ci/test.d/containers sets; what doctor says has backquotes
# What doctor says in a container of this host's engine, by the flags that it was started with.

# The flags of containers/compose.yaml that need no device.
flags=(--cap-drop ALL --security-opt no-new-privileges --security-opt "seccomp=$PWD/containers/seccomp.json"
    --read-only --tmpfs /results:mode=1777)

test_host() {
    choose_engine || return 0
    # A device is a matter of the lab's: here each is told whether or not there is one.
    local all=("${flags[@]}" --network none)
    unlimited_memory
    doctor_says 'with the flags of compose.yaml nothing but the device is missing' 1 \
        'container: of' 'memory policy: may be set and proven' \
        'ok    results: /results can be written' 'STOP  RDMA device' -- "${all[@]}"
    doctor_says 'no device: doctor names a flag' 1 'STOP  RDMA device' '-> ' '`--' -- "${all[@]}"
    doctor_says 'no memlock: doctor names the flag' 1 'doubt locked memory: at most 65536 bytes' \
        '-> `--ulimit memlock=-1:-1`' -- "${all[@]}" --ulimit memlock=65536:65536
    doctor_says 'root with IPC_LOCK: no limit applies' 1 'which CAP_IPC_LOCK lifts' \
        -- --network none --user 0:0 --cap-add IPC_LOCK --ulimit memlock=65536:65536
    doctor_says "the engine's own filter of calls: doctor names the flag" 1 'STOP  memory policy' \
        mbind '-> `--security-opt seccomp=containers/seccomp.json`' -- --network none --cap-drop ALL
    doctor_says 'a read-only root without a place for results: doctor names the flag' 1 \
        'STOP  results' '`--tmpfs /results`' -- --network none --read-only
    mkdir -m 755 "$out/foreign"
    doctor_says 'a folder for results that is another'"'"'s: doctor names the flag' 1 \
        'STOP  results' '`--user`' ':Z' -- --network none --volume "$out/foreign:/results"
}

# An engine that is itself kept from it cannot lift the limit on locked memory.
unlimited_memory() {
    if run_container --network none --ulimit memlock=-1:-1 "$harness" --version >"$out/limit.log" 2>&1; then
        doctor_says 'with the memlock flag doctor has nothing to say of it' 1 'ok    locked memory: unlimited' \
            -- "${all[@]}" --ulimit memlock=-1:-1
    else
        skip "the memlock flag on this host's engine" "the engine may not set it here; the lab's does ($(grep -o 'error setting.*' "$out/limit.log" | head -n 1))"
    fi
}
