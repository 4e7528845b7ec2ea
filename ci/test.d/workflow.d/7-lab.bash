# shellcheck shell=bash disable=SC2154,SC2034 # ci/test.d/workflow sets what is not set here
# One job on the lab's machines, over the kernel's RDMA: what only this way has is the machines, and
# a folder of the job's own from which the runs are taken.

rm -rf results
in_lab=(profile=soft-roce-lab source=soft-roce level=smoke experiments=latency-by-queue-pairs only=queue_pairs=1)
export ONESIDED_STEP='one job of the workflow'

machines() { pgrep -f "^[^ ]*qemu-system[^ ]* .*$copy/results/lab/"; }
both_are_up() { [[ $(machines | wc -l) -eq 2 ]] || ! kill -0 "$job" 2>/dev/null; }
cancelled_in_lab() {
    local job
    study measured --config "${in_lab[@]}" &
    job=$!
    until both_are_up; do sleep 0.05; done
    pkill -TERM -f "^bash [^ ]*measure --program $program" || { cat "$said"; return 1; }
    wait "$job" && { echo 'it ended well'; return 1; }
    says 'the same command goes on' || return 1
    if machines; then echo 'a machine is left running'; return 1; fi
    ! pgrep -af "files $place/program"
}
check 'a job that is ended while its machines are up says so and leaves none' cancelled_in_lab
# A machine that has no CPU for seconds answers no requests either.
also_starved=$UNANSWERED
check 'a job on machines of the lab: the same command goes on, to tables and verdicts' \
    measured 'a job on machines of the lab' measured results/tables/soft-roce-lab/runs.csv.gz results/claims.csv --config "${in_lab[@]}"
unset also_starved
check 'each run over Soft-RoCE is in the tables, and as of source soft-roce' "$python" - <<'PYTHON'
import csv, gzip
rows = list(csv.DictReader(gzip.open("results/tables/soft-roce-lab/runs.csv.gz", "rt")))
planned = list(csv.DictReader(open("results/plan/soft-roce-lab/smoke/latency-by-queue-pairs/runs.csv")))
assert rows and len(rows) == len(planned), (len(rows), len(planned))
assert {(row["source"], row["back_end"], row["valid"]) for row in rows} == {("soft-roce", "verbs", "true")}, rows
PYTHON
check 'there are verdicts on it' grep -q ',soft-roce,' results/claims.csv
check 'nothing of the lab is left behind' bash -c '! ls results/lab/*'
unset ONESIDED_STEP
