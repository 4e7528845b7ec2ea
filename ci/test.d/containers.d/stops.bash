# shellcheck shell=bash
# stops_at_once ENGINE NAME: a container ends by itself when it is asked to, well before the engine's patience of
# 10 s is over, after which it would be killed.
stops_at_once() {
    local began=$EPOCHREALTIME us exit
    "$1" stop --time 10 "$2" >/dev/null || return
    us=$((${EPOCHREALTIME/./} - ${began/./}))
    exit=$("$1" inspect --format '{{.State.ExitCode}}' "$2")
    echo "stopped in $((us / 1000)) ms, exit $exit"
    [[ $us -lt 5000000 && $exit -eq 0 ]]
}
