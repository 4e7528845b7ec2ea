# shellcheck shell=bash disable=SC2154 # launch/options.bash sets what is not set here
# Both sides on this machine, as processes that end with the client. `place` is a folder for what
# they share, which goes with them; `flags` are what all of them are told of their device.
. "$(dirname "${BASH_SOURCE[0]}")/relay.bash"

started=() flags=()
# shellcheck disable=SC2317,SC2329 # called by the trap
stop() {
    trap '' INT TERM
    for process in "${started[@]}"; do kill "$process" 2>/dev/null && wait "$process" 2>/dev/null; done
    rm -rf "$place"
}
trap stop EXIT
trap 'exit 143' INT TERM

# both_sides [ARGUMENT OF onesided run]...
both_sides() {
    "$program" serve "${flags[@]}" --listen 127.0.0.1:0 --token-file "$place/token" 2> >(tee "$place/said" >&2) &
    started+=("$!")
    # It says where it listens, or why it cannot.
    while ! address=$(sed -nE 's/.* on (127\.0\.0\.1:[0-9]+); .*/\1/p' "$place/said" 2>/dev/null) || [[ -z $address ]]; do
        kill -0 "${started[0]}" 2>/dev/null || exit 2
        sleep 0.05
    done
    for ((host = 1; host < client_hosts; host++)); do
        "$program" join "${flags[@]}" --server "$address" --token-file "$place/token" &
        started+=("$!")
    done
    relayed "$program" run "${flags[@]}" --server "$address" --token-file "$place/token" \
        --table "$table" --out "$raw" "$@"
}
