# shellcheck shell=bash
# Clients that are tried again where a busy host gave them no CPU; ci/pace.bash and ci/tally.bash are there.

# tries NAME LOG COMMAND...: runs COMMAND, a client, six times at the most: again only where its run had no CPU. LOG
# gets what it prints. COMMAND may be a function that reads the number of the try in $try.
tries() {
    local name=$1 log=$2 status try
    shift 2
    for try in {1..6}; do
        "$@" >"$log" 2>&1
        status=$?
        [[ $status -eq 1 && $try -lt 6 ]] && only_starved "$log" || return "$status"
        repeated "$name" "$(grep ' INVALID ' "$log" | tail -n 1)"
        # What keeps a host busy comes and goes.
        sleep "$try"
    done
}

# last_run_in FOLDER: where it is. Those that were repeated are there, too.
last_run_in() { find "$1" -name run.json -printf '%T@ %h\n' | sort -n | tail -n 1 | cut -d' ' -f2-; }
