# shellcheck shell=bash disable=SC2034,SC2154 # the stage and the cases set and use
# Jobs of the test's cluster: submitted, watched, ended, and what they leave behind. In the folder of
# the study; what a job says is in $said/NAME.log.

# table NAME DURATION-MS REPLICATES: NAME.csv, eight runs a replicate.
table() {
    sed -e "s/^duration_ms = .*/duration_ms = $2/" -e "s/^replicates = .*/replicates = $3/" \
        -e "s/\"interrupted\"/\"$1\"/" "$interrupted_design" >"$1.toml"
    "$onesided" expand "$1.toml" --profile cluster --out "$1.csv" 2>/dev/null
}

# submit NAME TABLE OPTION...: a job that measures the table, as the workflow's rule does; sets $job.
# With client_hosts=N before it, the job has so many; of none, it has a host too few.
submit() {
    local clients=${client_hosts:-1}
    local nodes=$((1 + clients))
    job=$(sbatch --parsable --nodes=$nodes --ntasks=$nodes --exclusive --constraint='numa2&rdma' \
        --output="$said/$1.log" "${@:3}" --wrap "workflow/scripts/measure --program $onesided \
        --table $2 --raw results/raw --client-hosts $((clients > 0 ? clients : 1)) --done results/jobs/$1.csv")
}

# field JOB NAME: what the scheduler says of a job under that name.
field() { scontrol show job --oneliner "$1" | grep -oE "(^| )$2=[^ ]*" | sed 's/^[^=]*=//'; }

job_is_over() { [[ ! $(field "$1" JobState) =~ ^(PENDING|RUNNING|COMPLETING|CONFIGURING)$ ]]; }

# within SECONDS COMMAND...: COMMAND succeeds by then, SECONDS being those of a quiet machine.
within() {
    local end=$((SECONDS + $(patience "$1")))
    shift
    until "$@"; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.1
    done
}

# Folders of the runs of an experiment that count, one a line. What a client that was killed has left
# half written has another name.
complete_runs() {
    grep -lE '"status": "(valid|doubtful)"' "results/raw/cluster/$1"/*/run.json 2>/dev/null |
        sed 's,/run.json$,,; /\.partial$/d'
}

# did NAME NUMBER: the job of that name has done so many runs, as it says. One process: what is
# watched goes on meanwhile.
did() { [[ $(grep -cE '^[^,]+,(valid|doubtful),' "$said/$1.log" 2>/dev/null) -ge $2 ]]; }

# has_done NAME RUNS: the job of that name has marked so many as done, none of them as not valid.
has_done() {
    [[ $(tail -n 1 "results/jobs/$1.csv") == "$2,$2,0" ]] || { tail -n 15 "$said/$1.log"; return 1; }
}

sums_of() { find "$@" -type f -exec sha256sum {} + | sort; }

# processes JOB [NODE]: those of the program that serve, run or join, of the job, on whichever node or
# on this one: a step's task has both in its environment.
processes() {
    local process found=1
    for process in $(pgrep --full "^$onesided (serve|run|join)"); do
        grep -qz "^SLURM_JOB_ID=$1\$" "/proc/$process/environ" 2>/dev/null || continue
        [[ $# -eq 1 ]] || grep -qz "^SLURMD_NODENAME=$2\$" "/proc/$process/environ" || continue
        echo "$process"
        found=0
    done
    return "$found"
}

nothing_runs() { ! processes "$1"; }

# says NAME FRAGMENT...: each is in the job's words.
says() {
    local log=$said/$1.log fragment
    for fragment in "${@:2}"; do
        grep -qF -- "$fragment" "$log" || { echo "not said: $fragment"; tail -n 20 "$log"; return 1; }
    done
}

# was_starved NAME: the job's runs that are not valid lacked a CPU of this host, and nothing else.
was_starved() { [[ $(field "$job" ExitCode) == 1:0 ]] && only_starved "$said/$1.log"; }

# repeat_if_starved NAME TABLE: the same job tries such runs again, five times at the most.
repeat_if_starved() {
    local _
    for _ in {1..5}; do
        was_starved "$1" || return 0
        repeated "the job $1" "$(grep -c ' INVALID ' "$said/$1.log") runs lacked a CPU of this host"
        submit "$1" "$2" --time=5
        within 60 job_is_over "$job"
    done
}

# left_clean NAME EXPERIMENT [JOB]: no process, no token; every complete run is whole.
left_clean() {
    check "$1: nothing is left running" within 10 nothing_runs "${3:-$job}"
    check "$1: no token is left" test ! -e "results/slurm/${3:-$job}/token"
    mapfile -t whole < <(complete_runs "$2")
    check "$1: complete runs are intact" "$onesided" check "${whole[@]}"
}
