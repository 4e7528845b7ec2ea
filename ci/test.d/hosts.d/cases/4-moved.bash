# shellcheck shell=bash disable=SC2154 # attempt.bash and server.bash set
# Memory and threads that are moved away in the middle of a run: it does not count, and is kept.

long=(--warm-up 100ms --duration 6s)

# migrate PID: its pages of node 0 go to node 1, again and again for as long as the run lasts: a page
# that is in use just then stays where it is, and on a busy host all of them may be, for a second.
migrate() {
    local _
    for _ in {1..12}; do
        kill -0 "$measuring" 2>/dev/null || return 0
        migratepages "$1" 0 1
        pause 0.3
    done
}

moved_memory() {
    load_of
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    migrate "$server"
    await_end 60
    invalid_run "the load's memory is moved" pages-misplaced load-buffer 'on node 1, asked: node 0'
    load_of --load-memory interleave
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    migrate "$server"
    await_end 60
    invalid_run 'interleaved memory is moved together' \
        pages-misplaced load-buffer 'asked: interleave'
    load_of --load-process own-process
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    migrate "$(loads)"
    await_end 60
    invalid_run 'the memory of a load of its own is moved' \
        pages-misplaced load-buffer 'on node 1, asked: node 0'
}

# move NAME PID FROM TO: the one thread of PID that is pinned to a CPU goes to another.
move() {
    local threads
    threads=$(pinned "$2" "$3")
    check "$1: one thread is pinned to CPU $3, and moved" test "$(wc -w <<<"$threads")" -eq 1
    taskset -pc "$4" "${threads%%$'\n'*}" >/dev/null
}

moved_threads() {
    in_background "${client[@]}" "${long[@]}" --workers 2 --worker-threads cpus:4-5
    move 'a worker' "$server" 5 2
    await_end 60
    invalid_run 'a worker is moved' thread-moved 'worker thread 1 ran on CPU 2, asked: 5'
    load_of --load-threads cpus:1
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    move 'a load' "$server" 1 6
    await_end 60
    invalid_run 'a load is moved' thread-moved 'load thread 0 ran on CPU 6, asked: 1'
    load_of --load-process own-process --load-threads cpus:1
    in_background "${client[@]}" "${long[@]}" "${load[@]}"
    move 'a load of its own' "$(loads)" 1 6
    await_end 60
    invalid_run 'a load of its own is moved' thread-moved 'load thread 0 ran on CPU 6, asked: 1'
}

lost_cpu() {
    in_background "${client[@]}" "${long[@]}" --workers 1 --worker-threads cpus:5
    echo 0 >/sys/devices/system/cpu/cpu5/online
    await_end 60
    invalid_run "a worker's CPU goes offline" thread-moved 'worker thread 0 ran on CPU' 'asked: 5'
    echo 1 >/sys/devices/system/cpu/cpu5/online
    serve_anew
}
