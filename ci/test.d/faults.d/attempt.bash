# shellcheck shell=bash disable=SC2016,SC2034 # b expands what is ordered; the cases use the rest
# Runs the program and checks how it ended. Who sources this may have set, and else has
# what a client of two machines of the lab needs:
#
#   work            a folder for what is said and left                     [/tmp/work]
#   token, raw      the token's file, the results' folder                  [/out/token, /tmp/raw]
#   server_address  where the server listens                               [machine b's]
#   back_end        flags of client and server that say what carries them  [none]
#
# Limits are seconds of a quiet machine; on this one they are as many times longer as its pace says.

# shellcheck source=ci/pace.bash disable=SC2154 # here is the client's
. "$here/pace.bash"
# Of now: the machine may be busier than when ci/test began.
ONESIDED_PACE=$(pace)
onesided=$here/onesided
work=${work:-/tmp/work} token=${token:-/out/token} raw=${raw:-/tmp/raw}
server_address=${server_address:-${LAB_PEER_ADDRESS:-}:18515}
[[ -v back_end ]] || back_end=()
mkdir -p "$work"
[[ -p $work/never ]] || mkfifo "$work/never"

# Waits without a process, which would cost more than a short wait.
pause() { read -rt "$1" <>"$work/never" || true; }

# An order to the server's side that has nothing to show but must succeed, or what follows means nothing.
arrange() {
    # Not in a subshell, which could not tell of the server that it starts.
    order "$@" >"$work/said" 2>&1 || fail "the server's side is arranged: $*" "$(<"$work/said")"
}

# Whole seconds since a value of $EPOCHREALTIME.
seconds_since() { echo $(((${EPOCHREALTIME/./} - ${1/./}) / 1000000)); }

# within SECONDS COMMAND...: COMMAND succeeds by then.
within() {
    local limit began=$EPOCHREALTIME
    limit=$(patience "$1")
    shift
    until "$@"; do
        [[ $(seconds_since "$began") -lt $limit ]] || return 1
        pause 0.05
    done
}

# attempt LIMIT COMMAND...: runs it for at most LIMIT seconds; leaves $status,
# $stdout, $stderr and $took (in s). A command that had to be killed has 137.
attempt() {
    local limit began=$EPOCHREALTIME
    limit=$(patience "$1")
    shift
    # In the background, so that a signal is heard at once.
    timeout --signal=KILL "$limit" "$@" </dev/null >"$work/stdout" 2>"$work/stderr" &
    wait $!
    status=$?
    stdout=$(<"$work/stdout") stderr=$(<"$work/stderr")
    took=$(seconds_since "$began")
}

# Arguments that every client here needs.
client=("$onesided" run "${back_end[@]}" --server "$server_address" --token-file "$token" --out "$raw")
# A run short enough for many cases.
short=(--warm-up 20ms --duration 200ms)

# was_starved STATUS STDERR: an attempt only lacked CPUs. A case may set also_starved: what else says so there
# of a run that failed.
was_starved() {
    [[ $1 -eq 1 || ( $1 -eq 2 && -n ${also_starved:-} ) ]] && only_starved - "${also_starved:-}" <<<"$2"
}

# How often something is tried that lacked CPUs: on a host with many times more work than CPUs three tries
# in a row did.
most_tries=6

# once_more TRY NAME: what has just been done is to be done again; $stderr says why. Later each time: what
# keeps a host busy comes and goes.
once_more() {
    [[ $1 -lt $most_tries ]] && was_starved "$status" "$stderr" || return
    repeated "$2" "$(grep -m 1 -E ' INVALID | failed in ' <<<"$stderr")"
    pause "$1"
}

# run LIMIT ARGUMENTS...: a client's attempt.
run() {
    local limit=$1 try
    shift
    for ((try = 1; try <= most_tries; try++)); do
        attempt "$limit" "${client[@]}" "$@"
        once_more "$try" "run $*" || return 0
    done
}

# ended NAME STATUS FRAGMENT...: the attempt ended so, and each fragment is in its stderr.
ended() {
    local name=$1 wanted=$2 fragment
    shift 2
    if [[ $status -ne $wanted ]]; then
        fail "$name" "exit $status after $took s, not $wanted"
        tail -n 12 <<<"$stderr"
        return 1
    fi
    for fragment; do
        if [[ $stderr != *"$fragment"* ]]; then
            fail "$name" "'$fragment' is not in what it says"
            tail -n 12 <<<"$stderr"
            return 1
        fi
    done
    pass "$name ($took s)"
}

# The path of the last attempt's run, as its line on stdout says.
last_run() { tail -n 1 <<<"$stdout" | sed 's/.*,//'; }

# A single run that came to its end, whose files agree with each other.
good_run() {
    ended "$1" 0 && check "$1: its files are whole" "$onesided" check "$(last_run)"
}

# failed_run NAME FRAGMENT...: a single run that failed and left a record that says so.
failed_run() {
    ended "$1" 2 "${@:2}" &&
        check "$1: its record says so" grep -q '"status": "failed"' "$(last_run)/run.json"
}

# The server lives, under the number that it had, and serves.
still_serves() {
    local name=$1 also_starved=$UNANSWERED
    check "$name: the server lives" order 'kill -0 $server'
    run 20 "${short[@]}"
    ended "$name: the server serves the next client" 0
}

# server_says PATTERN: it does so soon, on its standard error.
server_says() { within 5 order "grep -qE '$1' \"\$server_log\""; }

# A client in the background, once a thread of it measures.
start_measuring() {
    [[ ! -e $packets ]] || enough=$(($(<"$packets") + 50))
    measuring_since=$EPOCHREALTIME
    "${client[@]}" "$@" </dev/null >"$work/stdout" 2>"$work/stderr" &
    measuring=$!
    until measures; do
        kill -0 "$measuring" 2>/dev/null || break
        pause 0.02
    done
}

# What Soft-RoCE has sent, in the lab.
packets=/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts

# Its requests flow: the device has sent some; where there is none, a thread that drives queue pairs
# has had a CPU for 50 ms. Without a process, which costs much beside threads that spin.
measures() {
    local task name fields
    if [[ -e $packets ]]; then
        [[ $(<"$packets") -ge $enough ]]
        return
    fi
    for task in /proc/"$measuring"/task/*; do
        { read -r name <"$task/comm" && read -r fields <"$task/stat"; } 2>/dev/null || continue
        [[ $name == client ]] || continue
        # Behind the name in brackets: utime and stime, the 14th and 15th of proc_pid_stat(5).
        read -ra fields <<<"${fields##*) }"
        [[ $((fields[11] + fields[12])) -lt 5 ]] || return 0
    done
    return 1
}

# await_end SECONDS: waits at most so long for a client in the background, whose process is
# $measuring since $measuring_since; the rest as an attempt.
await_end() {
    local limit
    limit=$(patience "$1")
    # The shell's own word about a client that was killed is nothing new.
    {
        while kill -0 "$measuring" && [[ $(seconds_since "$measuring_since") -lt $limit ]]; do pause 0.05; done
        kill -KILL "$measuring"
        wait "$measuring"
        status=$?
    } 2>/dev/null
    took=$(seconds_since "$measuring_since")
    stdout=$(<"$work/stdout") stderr=$(<"$work/stderr")
}

# play KIND CASE...: plays them and says how long each took. KIND is as for note_time.
play() {
    local kind=$1 name case_began
    shift
    for name; do
        case_began=$EPOCHREALTIME
        if ! declare -F "$name" >/dev/null; then
            fail "$name" 'there is no such case'
            continue
        fi
        "$name"
        echo "   $name: $(seconds_since "$case_began") s"
        note_time "$kind" "$name" "$case_began"
    done
}
