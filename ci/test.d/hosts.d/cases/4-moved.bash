# shellcheck shell=bash disable=SC2154 # attempt.bash and server.bash set
# Memory and threads that are moved away in the middle of a run: it does not count, and is kept.

long=(--warm-up 100ms --duration 6s)

# Whether no page of a process's load is left on node 0: the kernel says so, not the program.
has_moved() { grep '=static:0' "/proc/$1/numa_maps" | grep -vq ' N0='; }

# migrate PROCESS SECONDS: pages of node 0 of the process that the command PROCESS names go to node 1,
# again and again: it may not be there yet, and a page that is in use just then stays where it is. Fails
# where that was not done in so many seconds of the run.
migrate() {
    local process
    until process=$($1) && has_moved "$process"; do
        [[ $(seconds_since "$flowing_since") -lt $2 ]] || return 1
        [[ -z $process ]] || migratepages "$process" 0 1
        pause 0.3
    done
    [[ $(seconds_since "$flowing_since") -lt $2 ]]
}

# moved_run NAME PROCESS FRAGMENT...: a run beside $load does not count, as the memory of the process
# that the command PROCESS names is moved. On a busy host moving may take longer than the run: then the
# run says nothing, and a longer one is done.
moved_run() {
    local moved=1 seconds
    for seconds in 6 12 24 48; do
        in_background "${client[@]}" --warm-up 100ms --duration "${seconds}s" "${load[@]}"
        migrate "$2" $((seconds / 2))
        moved=$?
        await_end $((seconds + 60))
        [[ $moved -ne 0 ]] || break
        echo "   the memory was not moved in the first half of $seconds s"
    done
    if [[ $moved -ne 0 ]]; then
        fail "$1" 'in no run was the memory moved in time'
        return
    fi
    invalid_run "$1" pages-misplaced load-buffer "${@:3}"
}

the_server() { echo "$server"; }

# Moving the whole of a server takes seconds, most of them for what is not the load's: that is moved
# before.
moved_memory() {
    migratepages "$server" 0 1
    load_of
    moved_run "the load's memory is moved" the_server 'on node 1, asked: node 0'
    load_of --load-memory interleave
    moved_run 'interleaved memory is moved together' the_server 'asked: interleave'
    load_of --load-process own-process
    moved_run 'the memory of a load of its own is moved' loads 'on node 1, asked: node 0'
}

# move PROCESS FROM TO SECONDS: the thread that is pinned to a CPU, of the process that the command PROCESS
# names, goes to another. On a busy host it may start later than the first packets are sent, and what is
# pinned there before may be another that only fills memory: so whatever is found is moved, until nothing
# new was found for two seconds. Fails where the last of them was found later than so many seconds of the run.
move() {
    local process thread moved='' last=$EPOCHREALTIME
    while kill -0 "$measuring" 2>/dev/null; do
        if process=$($1) && [[ -n $process ]]; then
            for thread in $(pinned "$process" "$2"); do
                taskset -pc "$3" "$thread" >/dev/null && moved+=" $thread" last=$EPOCHREALTIME
            done
        fi
        [[ -z $moved || $(seconds_since "$last") -lt 2 ]] || break
        pause 0.2
    done
    [[ -n $moved && $(((${last/./} - ${flowing_since/./}) / 1000000)) -lt $4 ]]
}

# moved_thread NAME PROCESS FROM TO SAYS ARGUMENT...: a run of the client with the arguments does not
# count, as a thread is moved in it. As moved_run, longer where the thread was found too late.
moved_thread() {
    local seconds
    for seconds in 6 12 24 48; do
        in_background "${client[@]}" --warm-up 100ms --duration "${seconds}s" "${@:6}"
        if move "$2" "$3" "$4" $((seconds / 2)); then
            pass "$1: one thread is pinned to CPU $3, and moved"
            await_end $((seconds + 60))
            invalid_run "$1" thread-moved "$5"
            return
        fi
        await_end $((seconds + 60))
        echo "   no thread was found on CPU $3 in the first half of $seconds s"
    done
    fail "$1" 'in no run was the thread moved in time'
}

moved_threads() {
    moved_thread 'a worker is moved' the_server 5 2 'worker thread 1 ran on CPU 2, asked: 5' \
        --workers 2 --worker-threads cpus:4-5
    load_of --load-threads cpus:1
    moved_thread 'a load is moved' the_server 1 6 'load thread 0 ran on CPU 6, asked: 1' "${load[@]}"
    load_of --load-process own-process --load-threads cpus:1
    moved_thread 'a load of its own is moved' loads 1 6 'load thread 0 ran on CPU 6, asked: 1' "${load[@]}"
}

lost_cpu() {
    in_background "${client[@]}" "${long[@]}" --workers 1 --worker-threads cpus:5
    echo 0 >/sys/devices/system/cpu/cpu5/online
    await_end 60
    invalid_run "a worker's CPU goes offline" thread-moved 'worker thread 0 ran on CPU' 'asked: 5'
    echo 1 >/sys/devices/system/cpu/cpu5/online
    serve_anew
}
