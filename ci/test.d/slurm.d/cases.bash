# shellcheck shell=bash disable=SC2154 # the stage and jobs.bash set what these use
# What may become of a measuring job. They are played in this order: each goes on with what the one
# before has left of its table.

interrupted=interrupted.csv

# On nodes of its own, so that it ends while others run; what it does is least urgent meanwhile.
# A minute is the least limit of time there is. It is over when the scheduler hears of it, and the
# scheduler looks every half a minute.
timed_out_begins() {
    ONESIDED_WITHIN="nice -n 19 ${ONESIDED_WITHIN:-}" submit timed-out timed-out.csv --time=1 --nodelist=n3,n4
    timed_out=$job
    check 'time is up: runs were done until then' within 30 did timed-out 1
    # Not now, which is over when a busy scheduler hears of it.
    check 'time is up: the scheduler takes the end of its time' scontrol update JobId="$job" EndTime=now+5
}

timed_out_ends() {
    check 'time is up: the job ends' within 120 job_is_over "$timed_out"
    check 'time is up: the scheduler says so' test "$(field "$timed_out" JobState)" = TIMEOUT
    check 'time is up: so does its log' says timed-out 'DUE TO TIME LIMIT'
    check 'time is up: the job is not marked as done' test ! -e results/jobs/timed-out.csv
    left_clean 'time is up' timed-out "$timed_out"
}

# Rejected at once, so that nobody waits.
impossible() {
    local words
    words=$(sbatch --nodes=2 --constraint=no-such-feature --wrap true 2>&1)
    check 'a feature that no node has is refused' test $? -ne 0
    check 'a feature that no node has is named as the reason' grep -qi 'feature' <<<"$words"
    local more='more nodes than were asked for are refused' version
    version=$(sbatch --version) # as "slurm-wlm 22.05.8"
    version=${version##* }
    if [[ ${version%%.*} -ge 24 ]]; then
        skip "$more" "Slurm $version takes as many of them as were asked for"
    else
        words=$(sbatch --nodes=2-2 --nodelist=n1,n2,n3 --wrap true 2>&1)
        check "$more" test $? -ne 0
    fi
}

waits_for_nodes() { squeue --noheader --jobs="$1" --format='%T %r' | grep -E '^PENDING .*(Not|DRAIN)'; }

# Nodes that could do it and are away: pending, with the reason in squeue.
pending() {
    scontrol update NodeName=n1,n2 State=DRAIN Reason=test
    submit pending "$interrupted" --nodelist=n1,n2
    check 'nodes that are away: the job waits, and squeue says why' within 10 waits_for_nodes "$job"
    scancel "$job"
    scontrol update NodeName=n1,n2 State=RESUME
}

too_few_hosts() {
    client_hosts=0 submit few "$interrupted"
    check 'a job of one host: it ends' within 20 job_is_over "$job"
    check 'a job of one host is refused' says few 'has 1 of the 2 hosts that are needed' 'sbatch --nodes=2'
}

cancelled() {
    submit cancelled "$interrupted" --time=5
    check 'cancelled: runs are done until then' within 30 did cancelled 2
    scancel "$job"
    check 'cancelled: the job ends' within 10 job_is_over "$job"
    check 'cancelled: the scheduler says so' test "$(field "$job" JobState)" = CANCELLED
    check 'cancelled: so does its log' says cancelled CANCELLED
    left_clean cancelled interrupted
}

# killed SIDE NODE FRAGMENT...: a job in which that node's process is killed after a run.
killed() {
    local name="the $1 is killed" process
    submit "killed-$1" "$interrupted" --time=5 --nodelist=n1,n2
    check "$name: runs are done until then" within 30 did "killed-$1" 1
    process=$(processes "$job" "$2") && kill -KILL "$process"
    check "$name: the job ends soon" within 20 job_is_over "$job"
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
    ONESIDED_CONTROL_INTERFACE=$(ip -oneline -4 address show scope global 2>/dev/null | awk '{ print $2; exit }') \
        ONESIDED_WITHIN="env SITE=yes ${ONESIDED_WITHIN:-}" ONESIDED_SRUN_OPTIONS=--unbuffered \
        submit goes-on "$interrupted" --time=5
    check "$name: the job ends" within 90 job_is_over "$job"
    check "$name: only with what was missing" \
        says goes-on "$before of $runs runs are complete, $((runs - before)) to do (slurm)"
    repeat_if_starved goes-on "$interrupted"
    # Seen twice beside ten busy processes, without a word of why: once more, where this machine is as
    # busy now, and the reason is shown. On any other one the job has failed.
    if ! has_done goes-on "$runs" >"$said/goes-on.why" 2>&1 && [[ $(pace) -ge 200 ]]; then
        repeated 'the job goes-on' "$(grep -m 1 -E ' failed in |measure: |launch: ' "$said/goes-on.why")"
        submit goes-on "$interrupted" --time=5
        within 90 job_is_over "$job"
    fi
    check "$name: then all are there" has_done goes-on "$runs"
    check "$name: what was complete is as it was" test "$sums" = "$(sums_of "${whole[@]}")"
    left_clean "$name" interrupted
}

# Longer windows than the design's smallest: three nodes share this machine's CPUs.
several_clients() {
    local name='two client hosts and a server' design=throughput-by-client-hosts
    mkdir -p designs
    sed -e '/^\[level.smoke.fixed\]/,/^\[/s/^duration_ms = .*/duration_ms = 1000/' \
        -e '/^\[experiment.cost\]/,/^\[/s/^smoke = .*//' "experiments/$design.toml" >"designs/$design.toml"
    "$onesided" expand "designs/$design.toml" --level smoke --only server_region=rdma-local \
        --profile cluster --out clients.csv 2>/dev/null
    client_hosts=2 ONESIDED_CONTROL_HOST=127.0.0.2 submit clients clients.csv --time=5
    check "$name: the job ends" within 60 job_is_over "$job"
    check "$name: on the address that a site names" says clients '(127.0.0.2:'
    client_hosts=2 repeat_if_starved clients clients.csv
    check "$name: it has done all" test "$(field "$job" JobState)" = COMPLETED
    check "$name: on three nodes" test "$(field "$job" NumNodes)" = 3
    left_clean "$name" "$design"
}
