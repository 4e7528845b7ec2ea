# shellcheck shell=bash
# Runs a command and hands on what would end this script, so that nothing is left running. A
# command in the background is deaf to INT: it is told to end either way.
relayed() {
    local child status
    "$@" &
    child=$!
    # shellcheck disable=SC2064 # the child of now
    trap "kill -TERM $child 2>/dev/null" INT TERM
    wait "$child"
    status=$?
    # A signal ends the waiting, not yet the child.
    while kill -0 "$child" 2>/dev/null; do
        wait "$child"
        status=$?
    done
    trap - INT TERM
    return "$status"
}
