# shellcheck shell=bash disable=SC2154 # the session and jobs.bash set what these use
# What may become of a measuring job. They are played in this order: each goes on with what the one
# before has left of its table.

interrupted=interrupted.csv

# The job that runs while Snakemake starts, on nodes of its own: a minute is the least limit there is.
timed_out_begins() {
    submit timed-out timed-out.csv --time=1 --nodelist=n3,n4
    timed_out=$job
}

timed_out_ends() {
    check 'time is up: the job ends' within 120 job_is_over "$timed_out"
    check 'time is up: the scheduler says so' test "$(field "$timed_out" JobState)" = TIMEOUT
    check 'time is up: so does its log' says timed-out 'DUE TO TIME LIMIT'
    check 'time is up: runs were done until then' did timed-out 1
    check 'time is up: the job is not marked as done' test ! -e results/jobs/timed-out.csv
    left_clean 'time is up' timed-out "$timed_out"
}

# Rejected at once, so that nobody waits.
impossible() {
    local said
    said=$(sbatch --nodes=2 --constraint=no-such-feature --wrap true 2>&1)
    check 'a feature that no node has is refused' test $? -ne 0
    check 'a feature that no node has is named as the reason' grep -qi 'feature' <<<"$said"
    said=$(sbatch --nodes=2-2 --nodelist=n1,n2,n3 --wrap true 2>&1)
    check 'more nodes than were asked for are refused' test $? -ne 0
}

waits_for_nodes() { squeue --noheader --jobs="$1" --format='%T %r' | grep -E '^PENDING .*(Not|DRAIN)'; }

# Nodes that could do it and are away: pending, with the reason in squeue.
pending() {
    scontrol update NodeName=n3,n4 State=DRAIN Reason=test
    submit pending "$interrupted" --nodelist=n3,n4
    check 'nodes that are away: the job waits, and squeue says why' within 30 waits_for_nodes "$job"
    scancel "$job"
    scontrol update NodeName=n3,n4 State=RESUME
}

too_few_hosts() {
    client_hosts=0 submit few "$interrupted"
    check 'a job of one host: it ends' within 60 job_is_over "$job"
    check 'a job of one host is refused' says few 'has 1 hosts' 'but needs 2' 'sbatch --nodes=2'
}

cancelled() {
    submit cancelled "$interrupted" --time=5
    check 'cancelled: runs are done until then' within 90 did cancelled 2
    scancel "$job"
    check 'cancelled: the job ends' within 30 job_is_over "$job"
    check 'cancelled: the scheduler says so' test "$(field "$job" JobState)" = CANCELLED
    check 'cancelled: so does its log' says cancelled CANCELLED
    left_clean cancelled interrupted
}

# killed SIDE NODE FRAGMENT...: a job in which that node's process is killed after a run.
killed() {
    local name="the $1 is killed" process=0
    submit "killed-$1" "$interrupted" --time=5
    # Not in a subshell, which could not set $process.
    within 60 find_process "$2" || fail "$name: there is one" "none on $2"
    check "$name: runs are done until then" within 90 did "killed-$1" 1
    kill -KILL "$process"
    check "$name: the job ends soon" within 60 job_is_over "$job"
    check "$name: it has failed with 2" test "$(field "$job" ExitCode)" = 2:0
    check "$name: its log says so" says "killed-$1" "${@:3}" 'the same command goes on'
    left_clean "$name" interrupted
}

# With what a site may set, so that this is tried as well.
goes_on() {
    local name='the same command goes on' before sums
    mapfile -t whole < <(complete_runs interrupted)
    before=${#whole[@]}
    sums=$(sums_of "${whole[@]}")
    export ONESIDED_CONTROL_INTERFACE=eth0 ONESIDED_WITHIN='env SITE=yes' ONESIDED_SRUN_OPTIONS=--unbuffered
    submit goes-on "$interrupted" --time=5
    unset ONESIDED_CONTROL_INTERFACE ONESIDED_WITHIN ONESIDED_SRUN_OPTIONS
    check "$name: the job ends" within 180 job_is_over "$job"
    check "$name: only with what was missing" \
        says goes-on "$before of $runs runs are complete, $((runs - before)) to do (slurm)"
    try_again_if_starved goes-on "$interrupted"
    check "$name: then all are there" test "$(tail -n 1 results/jobs/goes-on.csv)" = "$runs,$runs,0"
    check "$name: what was complete is as it was" test "$sums" = "$(sums_of "${whole[@]}")"
    left_clean "$name" interrupted
}

several_clients() {
    local design=experiments/throughput-by-client-hosts.toml
    if ! "$onesided" join --help >/dev/null 2>&1; then
        skip 'two client hosts and a server' 'this program has no onesided join'
        return
    fi
    "$onesided" expand "$design" --level smoke --profile cluster --out clients.csv 2>/dev/null
    client_hosts=2 submit clients clients.csv --time=5
    check 'two client hosts and a server: the job ends' within 120 job_is_over "$job"
    client_hosts=2 try_again_if_starved clients clients.csv
    check 'two client hosts and a server: it has done all' test "$(field "$job" JobState)" = COMPLETED
    check 'two client hosts and a server: on three nodes' test "$(field "$job" NumNodes)" = 3
    left_clean 'two client hosts and a server' throughput-by-client-hosts
}
