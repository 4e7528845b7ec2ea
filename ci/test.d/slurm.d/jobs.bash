# shellcheck shell=bash disable=SC2034,SC2154 # the session and the cases set and use
# Jobs of the test's cluster: submitted, watched, ended, and what they leave behind.

# table NAME DURATION-MS REPLICATES: NAME.csv, eight runs a replicate.
table() {
    sed -e "s/^duration_ms = .*/duration_ms = $2/" -e "s/^replicates = .*/replicates = $3/" \
        -e "s/\"interrupted\"/\"$1\"/" "$here/interrupted.toml" >"$1.toml"
    "$onesided" expand "$1.toml" --profile cluster --out "$1.csv" 2>/dev/null
}

# submit NAME TABLE OPTION...: a job that measures the table, as the workflow's rule does; sets $job.
# Its words go to /out/NAME.log. With client_hosts=N before it, the job has so many; of none, it has
# a host too few.
submit() {
    local clients=${client_hosts:-1}
    local nodes=$((1 + clients))
    job=$(sbatch --parsable --nodes=$nodes --ntasks=$nodes --exclusive --constraint='numa2&rdma' \
        --output="/out/$1.log" "${@:3}" --wrap "workflow/scripts/measure --program $onesided \
        --table $2 --raw results/raw --client-hosts $((clients > 0 ? clients : 1)) --done results/jobs/$1.csv")
}

# field JOB NAME: what the scheduler says of a job under that name.
field() { scontrol show job --oneliner "$1" | grep -oE "(^| )$2=[^ ]*" | sed 's/^[^=]*=//'; }

job_is_over() { [[ ! $(field "$1" JobState) =~ ^(PENDING|RUNNING|COMPLETING|CONFIGURING)$ ]]; }

# within SECONDS COMMAND...: COMMAND succeeds by then.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.3
    done
}

# Folders of the runs of an experiment that count, one a line.
complete_runs() {
    grep -lE '"status": "(valid|doubtful)"' "results/raw/cluster/$1"/*/run.json 2>/dev/null | sed 's,/run.json$,,'
}

# did NAME NUMBER: the job of that name has done so many runs, as it says. One process: what is
# watched goes on meanwhile.
did() { [[ $(grep -cE '^[^,]+,(valid|doubtful),' "/out/$1.log" 2>/dev/null) -ge $2 ]]; }

sums_of() { find "$@" -type f -exec sha256sum {} + | sort; }

# Every process of the program that serves, runs or joins, on whichever node.
processes() { pgrep --full "^$onesided (serve|run|join)"; }

nothing_runs() {
    local left
    left=$(processes) || return 0
    echo "still there: $left"
    return 1
}

# Sets $process to the program on the node of that name: a step's task has it in its environment.
find_process() {
    for process in $(processes); do
        if grep -qz "^SLURMD_NODENAME=$1\$" "/proc/$process/environ"; then return; fi
    done
    return 1
}

# says NAME FRAGMENT...: each is in the job's words.
says() {
    local log=/out/$1.log fragment
    for fragment in "${@:2}"; do
        grep -qF -- "$fragment" "$log" || { echo "not said: $fragment"; tail -n 20 "$log"; return 1; }
    done
}

# Where the host is busy an emulated CPU may stand still for all of a run, which is then not valid:
# the job ends with 1, and the same job tries again.
try_again_if_starved() {
    local _
    for _ in 1 2 3; do
        [[ $(field "$job" ExitCode) = 1:0 ]] || return 0
        submit "$1" "$2" --time=5
        within 180 job_is_over "$job"
    done
}

# left_clean NAME EXPERIMENT [JOB]: no process, no token; every complete run is whole.
left_clean() {
    check "$1: nothing is left running" within 20 nothing_runs
    check "$1: no token is left" test ! -e "results/slurm/${3:-$job}/token"
    mapfile -t whole < <(complete_runs "$2")
    check "$1: complete runs are intact" "$onesided" check "${whole[@]}"
}
