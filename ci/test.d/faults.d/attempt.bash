# shellcheck shell=bash disable=SC2016,SC2034 # b expands what is ordered; the cases use the rest
# Runs the program and says what should have come of it; orders b about.

# shellcheck disable=SC2154 # the client's
onesided=$here/onesided
server_address=$LAB_PEER_ADDRESS:18515
mkdir -p /tmp/work /out/orders
mkfifo /tmp/never
echo 0 >/tmp/work/orders

# Waits without a process, which would cost more than a short wait.
pause() { read -rt "$1" <>/tmp/never || true; }

# Lets b evaluate a line; its output and status are this function's.
order() {
    # In a file, for an order may be given in a subshell.
    local orders=$(($(</tmp/work/orders) + 1))
    echo "$orders" >/tmp/work/orders
    echo "$*" >"/out/orders/$orders.part"
    mv "/out/orders/$orders.part" "/out/orders/$orders"
    for _ in {1..600}; do
        if [[ -e /out/orders/$orders.exit ]]; then
            cat "/out/orders/$orders.log"
            return "$(<"/out/orders/$orders.exit")"
        fi
        pause 0.05
    done
    echo "b did not carry out: $*"
    return 99
}

# An order that has nothing to show but must succeed, or what follows means nothing.
arrange() {
    local said
    said=$(order "$@") || fail "b is arranged: $*" "$said"
}

# Whole seconds since a value of $EPOCHREALTIME.
seconds_since() { echo $(((${EPOCHREALTIME/./} - ${1/./}) / 1000000)); }

# attempt LIMIT COMMAND...: runs it for at most LIMIT seconds; leaves $status,
# $stdout, $stderr and $took (in s). A command that had to be killed has 137.
attempt() {
    local limit=$1 began=$EPOCHREALTIME
    shift
    timeout --signal=KILL "$limit" "$@" </dev/null >/tmp/work/stdout 2>/tmp/work/stderr
    status=$?
    stdout=$(</tmp/work/stdout) stderr=$(</tmp/work/stderr)
    took=$(seconds_since "$began")
}

# Arguments that every client here needs.
client=("$onesided" run --server "$server_address" --token-file /out/token --out /tmp/raw)
# A run short enough for many cases.
short=(--warm-up 20ms --duration 200ms)

# run LIMIT ARGUMENTS...: a client's attempt.
run() {
    local limit=$1
    shift
    attempt "$limit" "${client[@]}" "$@"
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
    local name=$1
    check "$name: the server lives" order kill -0 '$server'
    run 20 "${short[@]}"
    ended "$name: the server serves the next client" 0
}

# part_of_a_table RAW N: N runs of the table are in RAW and whole, nothing else is.
part_of_a_table() {
    local directory=$1/faults/interrupted
    local runs=("$directory"/*[0-9a-f])
    [[ ${#runs[@]} -eq $2 ]] || { printf '%s runs, not %s:\n' "${#runs[@]}" "$2"; ls "$directory"; return 1; }
    "$onesided" check "${runs[@]}"
}

# await_end SECONDS: waits at most so long for a client in the background, whose process is
# $measuring since $measuring_since; the rest as an attempt.
await_end() {
    local limit=$1
    # The shell's own word about a client that was killed is nothing new.
    {
        while kill -0 "$measuring" && [[ $(seconds_since "$measuring_since") -lt $limit ]]; do pause 0.1; done
        kill -KILL "$measuring"
        wait "$measuring"
        status=$?
    } 2>/dev/null
    took=$(seconds_since "$measuring_since")
    stdout=$(</tmp/work/stdout) stderr=$(</tmp/work/stderr)
}
