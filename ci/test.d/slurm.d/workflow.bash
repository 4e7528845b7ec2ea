# shellcheck shell=bash disable=SC2154 # the session and jobs.bash set what these use
# Snakemake on the cluster's login node, which is this machine, too.

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

# The environment's Python is the host's; here is one of the same version elsewhere.
find_python() {
    local home environment
    environment=$(ci/workflow --environment)
    home=$(sed -n 's/^home = //p' "$environment/pyvenv.cfg")
    if [[ ! -e $home ]]; then mkdir -p "${home%/*/*}" && ln -s /usr "${home%/*}"; fi
    "$environment/bin/python3" -c 'import snakemake'
}

# Asks for one job through the executor, and looks at it while it is there. On a busy host an emulated
# CPU may stand still for all of a short run, which is then not valid.
submitted_by_snakemake() {
    local snakemake submitted='' steps=''
    read -ra arguments <"$here/workflow.arguments"
    check 'Python finds its packages' find_python
    ci/workflow --on slurm --slurm-init-seconds-before-status-checks 2 "${arguments[@]}" \
        onesided="$onesided" >/out/snakemake.log 2>&1 &
    snakemake=$!
    while kill -0 "$snakemake" 2>/dev/null; do
        submitted=${submitted:-$(squeue --noheader --nodelist=n1,n2 --format=%i)}
        steps+=$(squeue --noheader --steps --format='%j %N;')
        sleep 1
    done
    wait "$snakemake"
    check 'Snakemake submits a job and sees its end' test $? -eq 0
    check 'the job had two nodes' test "$(field "$submitted" NodeList)" = 'n[1-2]'
    check 'all of their CPUs' test "$(field "$submitted" NumCPUs)" = 4
    check 'and both for itself' test "$(field "$submitted" OverSubscribe)" = NO
    check 'they were asked for by what the profile says' test "$(field "$submitted" Features)" = 'numa2&rdma'
    check 'the server was a step on one' grep -q 'onesided-server n2;' <<<"$steps"
    check 'the client was a step on the other' grep -q 'onesided-client n1;' <<<"$steps"
    check 'the job is marked as done' grep -q ^2, results/jobs/cluster/smoke/latency-by-queue-pairs/*/all*.csv
    mapfile -t whole < <(complete_runs latency-by-queue-pairs)
    check 'it has runs that count' test ${#whole[@]} -ge 1
    check 'they are whole' "$onesided" check "${whole[@]}"
    check 'no token is left of it' test ! -e "results/slurm/$submitted"
}
