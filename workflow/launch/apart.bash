# shellcheck shell=bash disable=SC2154 # launch/options.bash sets what is not set here
# Runs that are made in a folder of the job's own ("$job/raw") and moved to the results when they are whole; so
# are those that an interrupted job left.
plain() { tr -cs 'A-Za-z0-9.\n' - <<<"$*" | sed 's/-$//'; }

# apart WAY [ARGUMENT OF onesided run]...: sets `plan` and `job`, and makes the folder.
apart() {
    plan=$(dirname "$raw")/$1/$(plain "${table%/runs.csv}")
    job=$plan-$(plain "${*:2}")
    [[ -n ${*:2} ]] || job=$plan-all
    mkdir -p "$job/raw" || exit 2
}

# Moves whole runs to the results, also those of other jobs of this table that were interrupted;
# by renaming, so that none is ever there in part.
harvest() {
    local run there
    for run in "$plan"-*/raw/*/*/*/; do
        run=${run%/}
        if [[ ! -d $run || $run == *.partial ]]; then continue; fi
        there=$raw/${run#"$plan"-*/raw/}
        mkdir -p "${there%/*}" && rm -rf "$there" && mv "$run" "$there" || exit 2
    done
}

# missing [ARGUMENT OF onesided run]...: writes the runs that are not complete to "$job/runs.csv"; fails where all are.
missing() {
    "$program" check --table "$table" --raw "$raw" "$@" 2>/dev/null | awk '$1 == "MISSING" { print $2 }' >"$job/missing"
    [[ -s $job/missing ]] || return 1
    # The run's name is the first column, and names have nothing to quote.
    awk -F, 'NR == FNR { wanted[$0]; next } FNR == 1 || $1 in wanted' "$job/missing" "$table" >"$job/runs.csv" || exit 2
}
