# shellcheck shell=bash disable=SC2154 # attempt.bash and server.bash set
# What cannot be: refused before anything is measured, by value and with what to do.

refused_threads() {
    run 60 "${short[@]}" --workers 5 --worker-threads rdma-local
    failed_run 'more workers than CPUs' \
        'worker_threads = rdma-local' '4 free CPUs (4-7) for 5 threads' 'ask for fewer'
    run 60 "${short[@]}" --workers 3 --worker-threads cpus:4-5
    failed_run 'more workers than CPUs that are listed' \
        'worker_threads = cpus:4-5' '2 free CPUs' 'for 3 threads'
    run 60 "${short[@]}" --client-threads cpus:5 --workers 4 --worker-threads rdma-local
    failed_run "more workers than CPUs that the client leaves" \
        '3 free CPUs (4,6-7) for 4 threads' 'CPU 5: client_threads'
    run 60 "${short[@]}" --client-threads cpus:1 --workers 1 --worker-threads cpus:1
    failed_run 'a worker on the CPU of a client' \
        'worker_threads = cpus:1 overlaps' "CPU 1 is client_threads's"
    beside_load 60 --workers 1 --worker-threads cpus:2 --load-threads cpus:2
    failed_run 'a load on the CPU of a worker' \
        'load_threads = cpus:2 overlaps' "CPU 2 is worker_threads's"
    beside_load 60 --workers 4 --worker-threads rdma-local --load-threads rdma-local
    failed_run 'a load on a node that workers fill' \
        'load_threads = rdma-local' 'every CPU of it is pinned'
    run 60 "${short[@]}" --workers 3 --worker-threads rdma-local --client-threads rdma-local
    good_run 'three workers and a client fill a node'
}

# Clients and loads may take turns, as the study's did; that is said.
crowded_threads() {
    run 60 "${short[@]}" --client-threads rdma-remote --threads 5 --queue-pairs 5
    good_run 'more client threads than CPUs'
    check 'more client threads than CPUs: the record says so' \
        grep -q '5 spinning threads of the client share 4 CPUs' "$(last_run)/run.json"
    load_of --load-thread-count 8
    run 60 --warm-up 20ms --duration 1s "${load[@]}"
    good_run 'more load threads than CPUs'
    check 'more load threads than CPUs: the record says so' \
        grep -q '8 spinning threads of the server share 4 CPUs' "$(last_run)/run.json"
}

refused_places() {
    local process flag field
    for process in in-process own-process; do
        beside_load 60 --load-process "$process" --load-bytes 900MiB
        failed_run "$process: a load larger than its node" 'node 0' 943718400 'ask for less'
        beside_load 60 --load-process "$process" --load-bytes 64GiB --load-memory interleave
        failed_run "$process: a load larger than the machine" \
            'node 0 has' 34359738368 'ask for less'
        for flag in load-memory=9 load-memory=interleave:0,9 load-threads=9; do
            beside_load 60 --load-process "$process" "--$flag"
            field=${flag%%=*}
            failed_run "$process: --$flag" 'the server says' "${field//-/_} = ${flag#*=}" 'node 9'
        done
    done
    run 60 "${short[@]}" --workers 1 --worker-threads 9
    failed_run 'workers on a node that is not there' 'worker_threads = 9' 'node 9'
    still_works 'after wrong places'
}

still_works() {
    check "$1: the server lives" server_lives
    check "$1: no load is left" within 2 no_load
    beside_load 60 --workers 1 --load-process own-process
    good_run "$1: the next run"
}

offline() {
    echo 0 >/sys/devices/system/cpu/cpu3/online
    run 60 "${short[@]}" --client-threads cpus:3
    failed_run 'a client on a CPU that is offline' \
        'client_threads = cpus:3' 'CPU 3 cannot be used: online are 0-2,4-7'
    run 60 "${short[@]}" --workers 1 --worker-threads cpus:3
    failed_run 'a worker on a CPU that went offline after the server started' 'CPU 3'
    serve_anew
    run 60 "${short[@]}" --workers 1 --worker-threads cpus:3
    failed_run 'a worker on a CPU that is offline' \
        'worker_threads = cpus:3' 'CPU 3 cannot be used: online are 0-2,4-7'
    run 60 "${short[@]}" --workers 4 --worker-threads rdma-remote
    failed_run 'a worker for each CPU of a node that one is missing of' \
        '3 free CPUs (0-2) for 4 threads'
    run 60 "${short[@]}" --workers 3 --worker-threads rdma-remote
    good_run 'a worker for each CPU that is left'
    echo 1 >/sys/devices/system/cpu/cpu3/online
    serve_anew
    run 60 "${short[@]}" --workers 1 --worker-threads cpus:3
    good_run 'a worker on a CPU that is online again'
}

# Once its CPUs are offline a node has only memory.
memory_only_node() {
    echo 0 >/sys/devices/system/cpu/cpu6/online
    echo 0 >/sys/devices/system/cpu/cpu7/online
    serve_anew
    local lacks='node 3 has no online CPU to run threads on; nodes with CPUs: 0-2'
    run 60 "${short[@]}" --client-threads 3
    failed_run 'a client on a node that has only memory' 'client_threads = 3' "$lacks"
    run 60 "${short[@]}" --workers 1 --worker-threads 3
    failed_run 'workers on a node that has only memory' 'worker_threads = 3' "$lacks"
    beside_load 60 --load-threads 3
    failed_run 'a load on a node that has only memory' 'load_threads = 3' "$lacks"
    beside_load 60 --server-region 3 --client-buffers 3 --workers 1 --load-memory 3
    good_run 'memory of a node that has nothing else'
    check 'memory of a node that has nothing else: all of it is there' \
        all_pages_on 3 server-region client-buffers load-buffer
    echo 1 >/sys/devices/system/cpu/cpu6/online
    echo 1 >/sys/devices/system/cpu/cpu7/online
    serve_anew
}

# all_pages_on NODE MEMORY...: in the last run's record these are on that node only, at each moment.
all_pages_on() {
    local node=$1 memory
    shift
    for memory; do
        tr -d ' \n' <"$(last_run)/run.json" | grep -o "\"what\":\"$memory\"[^}]*}" >/tmp/work/proofs
        cat /tmp/work/proofs
        [[ $(wc -l </tmp/work/proofs) -eq 3 ]] || return 1
        [[ $(grep -c "\"by_node\":{\"$node\":[0-9]*}" /tmp/work/proofs) -eq 3 ]] || return 1
    done
}
