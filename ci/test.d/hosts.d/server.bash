# shellcheck shell=bash disable=SC2034,SC2154 # attempt.bash sets and uses
# The server of the machine that talks to itself, what it has started, and clients beside it.

# When the host says that it is now, in us: files in /out are the host's.
host_time() {
    local seconds
    touch /out/clock
    seconds=$(stat -c %.6Y /out/clock)
    echo "${seconds/./}"
}

# Whether a second here is about a second of the host.
clock_runs_true() {
    local host own
    host=$(host_time) own=${EPOCHREALTIME/./}
    pause 2
    host=$(($(host_time) - host)) own=$((${EPOCHREALTIME/./} - own))
    echo "   $own us here are $host us of the host"
    [[ $own -lt $((2 * host)) && $host -lt $((2 * own)) ]]
}

# again LIMIT COMMAND...: as attempt, and again as long as it lacks CPUs.
again() {
    local try
    for ((try = 1; try <= most_tries; try++)); do
        attempt "$@"
        once_more "$try" "${*:2}" || return 0
    done
}

# run LIMIT ARGUMENTS...: a client's attempt.
run() { again "$1" "${client[@]}" "${@:2}"; }

# A server in the background, once it listens.
serve() {
    : >/tmp/work/server.log
    # Cases ask for more memory than there is: that is the kernel's to refuse, not the server's.
    "$onesided" serve --most-memory 1024GiB --listen "$server_address" --token-file /out/token "$@" \
        >/tmp/work/server.log 2>&1 &
    server=$!
    # It ends where it cannot listen.
    until grep -q 'serving' /tmp/work/server.log; do
        kill -0 "$server" 2>/dev/null || return
        pause 0.05
    done
}

# Ends the server by a signal and waits until it is gone.
end_server() {
    {
        kill "-$1" "$server"
        wait "$server"
    } 2>/dev/null
    return 0
}

serve_anew() {
    end_server TERM
    serve "$@" || fail 'the server starts anew' "$(</tmp/work/server.log)"
}

server_lives() { kill -0 "$server"; }

# Every process that is a load of its own, by number.
loads() { pgrep -f "^$onesided load "; }

no_load() {
    local left
    left=$(loads) || return 0
    echo "still there: $left"
    return 1
}

# A command in the background, once its requests flow, and once a load of its own runs if it asks
# for one.
in_background() {
    local packets=/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts before now
    # Without a process, which costs much beside threads that spin.
    read -r before <$packets
    measuring_since=$EPOCHREALTIME
    # A shell without job control has what it puts in the background ignore SIGINT.
    env --default-signal=INT "$@" </dev/null >/tmp/work/stdout 2>/tmp/work/stderr &
    measuring=$!
    until read -r now <$packets && [[ $now -ge $((before + 20)) ]]; do
        kill -0 "$measuring" 2>/dev/null || break
        pause 0.02
    done
    flowing_since=$EPOCHREALTIME
}

# load_of ARGUMENTS...: $load asks for an independent load, as the arguments say and else on the
# remote node.
load_of() {
    local usual flag
    load=("$@")
    for usual in bytes=256KiB threads=rdma-remote memory=rdma-remote; do
        flag=--load-${usual%=*}
        [[ " $*" == *" $flag"[\ =]* ]] || load+=("$flag=${usual#*=}")
    done
}

# beside_load LIMIT ARGUMENTS...: a short run beside such a load.
beside_load() {
    load_of "${@:2}"
    run "$1" "${short[@]}" "${load[@]}"
}

# pinned PID CPU: the threads of a process that may run on that CPU only. One process finds them all:
# one for each thread takes seconds beside threads that spin.
pinned() {
    grep -l "^Cpus_allowed_list:[[:space:]]*$2\$" /proc/"$1"/task/*/status 2>/dev/null | cut -d/ -f5
}

# says_in_record DOUBT: the record of the last attempt's run has it.
says_in_record() { grep -q "\"doubt\": \"$1\"" "$(last_run)/run.json"; }

# invalid_run NAME DOUBT FRAGMENT...: a single run that ended, does not count, and is kept as such.
invalid_run() {
    local name=$1 doubt=$2
    ended "$name" 1 "INVALID ($doubt" "${@:3}" || return
    check "$name: its record says so" grep -q '"status": "invalid"' "$(last_run)/run.json"
    check "$name: its windows are kept" \
        test -s "$(last_run)/windows.csv" -a -s "$(last_run)/load.csv"
    attempt 10 "$onesided" check "$(last_run)"
    check "$name: check does not take it for a good one" test "$status" -eq 1
}
