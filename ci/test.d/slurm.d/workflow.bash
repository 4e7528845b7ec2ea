# shellcheck shell=bash disable=SC2154 # the stage and jobs.bash set what these use
# Snakemake on the cluster's login node, which is this machine, too.

# Runs of memory that every machine has. A busy host may leave one without a CPU, which is then not
# valid; what is of interest here is who does what.
asked=(--config profile=cluster level=smoke source=measured experiments=latency-by-queue-pairs
    only=server_region=rdma-local accept_invalid=true)

# It hears Ctrl-C even where the shell that began all this ignores it, as one in the background does.
study() {
    env --default-signal=INT ci/workflow --on slurm --slurm-init-seconds-before-status-checks 1 "${asked[@]}" onesided="$onesided"
}

# Runs of 100 ms are over before anybody interrupts their job: these take 12 s, all four together. The
# design states no cost any more, as one of a site's own may.
lengthen_runs() {
    sed -i -e '/^\[level.smoke.fixed\]/,/^\[/s/^duration_ms = .*/duration_ms = 2980/' \
        -e '/^\[experiment.cost\]/,/^$/d' \
        experiments/latency-by-queue-pairs.toml
}

# begin_study LOG: in the background, as a group of processes of its own, as from a terminal; sets
# $snakemake, and $job when the job is submitted.
begin_study() {
    set -m
    study >"$said/$1.log" 2>&1 &
    snakemake=$!
    set +m
    job=''
    within 60 is_submitted
}

is_submitted() {
    job=$(squeue --noheader --format=%i | grep -vx "$timed_out")
    [[ -n $job ]] || ! kill -0 "$snakemake" 2>/dev/null
}

# What a user does first: describes the machine, and what to ask the scheduler for.
describe_machine() {
    check 'the machine describes itself' "$onesided" topology --profile cluster
    cat >>profiles/cluster/machine.toml <<'SCHEDULER'

[scheduler]
partition = "rdma"
constraint = "numa2&rdma"
source = "sinfo"
SCHEDULER
    check 'with what to ask a scheduler for, it is a profile' "$onesided" check profiles/cluster/machine.toml
}

no_job() {
    local jobs
    jobs=$(squeue --noheader --format=%i) && ! grep -vx "$timed_out" <<<"$jobs" | grep .
}
no_lock() { [[ -z $(find .snakemake/locks -type f 2>/dev/null) ]]; }
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# Snakemake says so when it has heard Ctrl-C.
has_heard() { grep -q 'on user request' "$said/ctrl-c.log" || is_gone "$interrupted_study"; }

# Again where nothing happens, as a person does.
press_ctrl_c() {
    local _
    for _ in {1..5}; do
        kill -INT -- "-$interrupted_study"
        within 2 has_heard && return
    done
    tail -n 10 "$said/ctrl-c.log"
    return 1
}

# In the middle of its job. Snakemake itself ends when it would next have looked at the queue, up to
# half a minute later, and other cases are played meanwhile.
ctrl_c_begins() {
    begin_study ctrl-c
    interrupted_study=$snakemake
    check 'Ctrl-C of Snakemake: both sides are up then' within 30 test -e "results/slurm/$job/token"
    check 'Ctrl-C of Snakemake: it is heard' press_ctrl_c
    check 'Ctrl-C of Snakemake: no job is left' within 20 no_job
    check 'Ctrl-C of Snakemake: nothing is left running' within 10 nothing_runs "$job"
    check 'Ctrl-C of Snakemake: no token is left' test ! -e "results/slurm/$job/token"
}

ctrl_c_ends() {
    local status
    check 'Ctrl-C of Snakemake: it ends' within 90 is_gone "$interrupted_study"
    wait "$interrupted_study"
    status=$?
    check 'Ctrl-C of Snakemake: it says that not all is done' test "$status" -ne 0
    [[ $status -ne 0 ]] || tail -n 30 "$said/ctrl-c.log"
    check 'Ctrl-C of Snakemake: no lock is left' no_lock
}

# The same command goes on, to the report; the job is looked at while it is there.
submitted_by_snakemake() {
    local steps=''
    begin_study snakemake
    while kill -0 "$snakemake" 2>/dev/null; do
        steps+=$(squeue --noheader --steps --format='%j %N;')
        sleep 0.2
    done
    wait "$snakemake"
    check 'Snakemake submits a job and sees its end' test $? -eq 0
    [[ -s results/report.pdf ]] || tail -n 30 "$said/snakemake.log"
    check 'the job had two nodes' test "$(field "$job" NodeList)" = 'n[1-2]'
    check 'all of their CPUs' test "$(field "$job" NumCPUs)" = 4
    check 'and both for itself' test "$(field "$job" OverSubscribe)" = NO
    # Half as much again as 12 s and a second for each of four runs, begun minutes counted; and five.
    check 'its time limit is computed from its runs' test "$(field "$job" TimeLimit)" = 00:06:00
    check 'they were asked for by what the profile says' test "$(field "$job" Features)" = 'numa2&rdma'
    check 'the server was a step on one' grep -q 'onesided-server n2;' <<<"$steps"
    check 'the client was a step on the other' grep -q 'onesided-client n1;' <<<"$steps"
    check 'the job is marked as done' grep -q ^4, results/jobs/cluster/smoke/latency-by-queue-pairs/*/all*.csv
    mapfile -t whole < <(complete_runs latency-by-queue-pairs)
    check 'it has runs that count' test ${#whole[@]} -ge 1
    check 'they are whole' "$onesided" check "${whole[@]}"
    check 'no token is left of it' test ! -e "results/slurm/$job"
    check 'its runs are in the tables' test "$(gzip -dc results/tables/cluster/runs.csv.gz | tail -n +2 | wc -l)" = 4
    check 'a figure says that they are of the emulated back end' \
        grep -q 'back end rmc, profile cluster' results/figures/cluster/latency-by-queue-pairs.svg
    check 'there is a report of them' test -s results/report.html -a -s results/report.pdf
}

# On the login node, without a job.
not_again() {
    study 2>&1 | tee "$said/again.log" | grep 'Nothing to be done' >/dev/null || { tail -n 20 "$said/again.log"; return 1; }
    no_job
}
