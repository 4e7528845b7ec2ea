# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# Every experiment over the emulated controller, on this machine: no lab, no root.

rm -rf results
before=$(echo /dev/shm/onesided-*)
emulated=(profile=emulated-rmc source=emulated overlay=false experiments=all level=smoke fabric=reads)
figure=results/figures/emulated-rmc/latency-by-queue-pairs.svg
began=$SECONDS
check 'every experiment is done on this machine' \
    study measured results/claims.csv "$figure" --config "${emulated[@]}" accept_invalid=true
echo "   in $((SECONDS - began)) s"
check 'what it cannot do is told once, with how many' \
    test "$(grep -cE '^([0-9]+ of|all) 95 runs can' "$said")" = 1
"$program" expand experiments/*.toml --level smoke 2>/dev/null >"$place/whole.csv"
planned_and_left() { tail -qn +2 results/plan/emulated-rmc/smoke/*/{runs,left-out}.csv | wc -l; }
check 'nothing else is left out' test "$(planned_and_left)" = "$(tail -n +2 "$place/whole.csv" | wc -l)"
check 'each run is in the tables, and by no other name than its own' "$python" - <<'PYTHON'
import csv, glob, gzip
rows = list(csv.DictReader(gzip.open("results/tables/emulated-rmc/runs.csv.gz", "rt")))
planned = [row for plan in glob.glob("results/plan/emulated-rmc/smoke/*/runs.csv") for row in csv.DictReader(open(plan))]
assert rows and len(rows) == len(planned), (len(rows), len(planned))
assert {(row["source"], row["back_end"], row["profile"]) for row in rows} == {("emulated", "rmc", "emulated-rmc")}
assert sum(row["valid"] == "true" for row in rows) >= 0.8 * len(rows), [row["doubts"] for row in rows if row["valid"] != "true"]
PYTHON
check 'a figure says what it is of' grep -q 'source: emulated, back end rmc, profile emulated-rmc' "$figure"
check 'claims of a fabric are judged by it, and none about a card' "$python" - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("results/claims.csv")))
assert rows and {row["source"] for row in rows} == {"emulated"}
judged = {row["id"] for row in rows if row["verdict"] != "not-testable"}
assert "sonuma-atomics-as-reads" in judged, judged
assert all(row["paper"] == "sonuma" for row in rows if row["id"] in judged), judged
PYTHON
check 'a second time there is nothing to do' \
    bash -c "ci/workflow measured results/claims.csv $figure --config ${emulated[*]} accept_invalid=true onesided=$program 2>&1 | grep -q 'Nothing to be done'"
check 'no fabric is left behind' test "$before" = "$(echo /dev/shm/onesided-*)"

# A fabric with a delay is a profile of its own, and its runs say so.
far_fabric() {
    mkdir -p profiles/far
    sed 's/^name = "emulated-rmc"/name = "far"/' profiles/emulated-rmc/machine.toml >profiles/far/machine.toml
    echo 'latency_ns = 700' >>profiles/far/machine.toml
    "$program" check profiles/far/machine.toml >/dev/null || return 1
    study measured --config profile=far source=emulated experiments=latency-by-queue-pairs level=smoke \
        only=queue_pairs=1 accept_invalid=true || { tail -n 15 "$said"; return 1; }
    ! grep -L '"fabric_hop_ns": 700' results/raw/far/*/*/run.json | grep .
}
check 'the delay of a hop is what the profile says' far_fabric

# Minutes of runs, ended in the middle.
ended_early() {
    local job status
    "$program" expand experiments/latency-by-queue-pairs.toml --profile emulated-rmc --possible-here --device-node 0 \
        --only queue_pairs=1 --out "$place/long.csv" 2>/dev/null
    workflow/scripts/measure --program "$program" --table "$place/long.csv" --raw "$place/long" \
        --done "$place/long.done" --launch rmc --hop-delay-of asplos14-simulated 2>"$said" &
    job=$!
    until compgen -G "$place/long/*/*/*/run.json" >/dev/null || ! kill -0 "$job" 2>/dev/null; do sleep 0.1; done
    kill -TERM "$job"
    wait "$job"
    status=$?
    told 'the same command goes on' || return 1
    [[ $status -eq 2 && $before == $(echo /dev/shm/onesided-*) ]] || { echo "exit $status, $(echo /dev/shm/onesided-*)"; return 1; }
    if pgrep -f "^$program (serve|run|join) " >/dev/null; then echo 'a side is left running'; return 1; fi
}
check 'a job that is ended leaves no process and no fabric' ended_early

# With a program that stands in for the command: which line of it the rule makes.
fabric_is_measured() {
    touch figures/fabric-reads.R
    cat >"$place/program/stand-in" <<STANDIN
#!/bin/sh
[ "\$1" = fabric ] || exec "$program" "\$@"
shift
while [ "\$1" != --out ]; do words="\$words \$1"; shift; done
echo "\$words" >"\$2"
STANDIN
    chmod +x "$place/program/stand-in"
    ci/workflow results/tables/{far,emulated-rmc}/fabric-reads.csv.gz --config profile=far,emulated-rmc source=emulated \
        overlay=false fabric=reads onesided="$place/program/stand-in" >"$said" 2>&1 || { tail -n 15 "$said"; return 1; }
    [[ $(<results/tables/far/fabric-reads.csv.gz) == ' reads --profile far --hop-delay 700ns' &&
        $(<results/tables/emulated-rmc/fabric-reads.csv.gz) == ' reads --profile emulated-rmc' ]]
}
check 'the fabric is measured by the command, for each emulated machine' fabric_is_measured
