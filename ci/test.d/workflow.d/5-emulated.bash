# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# Every experiment over the emulated controller, on this machine: no lab, no root.

rm -rf results
fabrics_before=$(fabrics)
emulated=(profile=emulated-rmc source=emulated overlay=false experiments=all level=smoke fabric=reads)
figure=results/figures/emulated-rmc/latency-by-queue-pairs.svg
services=results/figures/emulated-rmc/throughput-by-service.svg
payloads=results/figures/emulated-rmc/sends-by-payload.svg
every_experiment=(measured results/claims.csv "$figure" "$services" "$payloads" --config "${emulated[@]}")
began=$SECONDS
check 'every experiment is done on this machine' study "${every_experiment[@]}" accept_invalid=true
echo "   in $((SECONDS - began)) s"
"$program" expand experiments/*.toml --level smoke 2>/dev/null >"$place/whole.csv"
# Wherever in a line: jobs beside each other write into one stream.
check 'what it cannot do is reported once, with how many' \
    test "$(grep -oE "([0-9]+ of|all) $(tail -n +2 "$place/whole.csv" | wc -l) runs can" "$said" | wc -l)" = 1
planned_and_left() { tail -qn +2 results/plan/emulated-rmc/smoke/*/{runs,left-out}.csv | wc -l; }
check 'nothing else is left out' test "$(planned_and_left)" = "$(tail -n +2 "$place/whole.csv" | wc -l)"
cat >"$place/tables-of-all.py" <<'PYTHON'
import csv, glob, gzip, sys
rows = list(csv.DictReader(gzip.open("results/tables/emulated-rmc/runs.csv.gz", "rt")))
planned = [row for plan in glob.glob("results/plan/emulated-rmc/smoke/*/runs.csv") for row in csv.DictReader(open(plan))]
assert rows and len(rows) == len(planned), (len(rows), len(planned))
assert {(row["source"], row["back_end"], row["profile"]) for row in rows} == {("emulated", "rmc", "emulated-rmc")}
bad = [row for row in rows if row["valid"] != "true"]
never = {row["experiment"] for row in bad} - {row["experiment"] for row in rows if row["valid"] == "true"}
# Some runs may be unlucky, but a whole experiment is not.
if len(bad) > 0.2 * len(rows) or never:
    doubts = [row["doubts"] for row in bad if not never or row["experiment"] in never]
    print("experiments without a valid run:", *sorted(never), doubts)
    sys.exit(3 if any(word in each for each in doubts for word in sys.argv[1].split("|")) else 1)
PYTHON
all_in_tables() {
    local try status
    for try in {1..3}; do
        "$python" "$place/tables-of-all.py" "$STARVED"
        status=$?
        [[ $status -eq 3 && $try -lt 3 ]] || return "$status"
        repeated 'every experiment' 'over a fifth of its runs are not valid, or all of an experiment, and runs of them lacked CPUs' >&3
        # Those that are not valid are tried again; that some of them stay so is no failure.
        rm -rf results/jobs
        study measured --config "${emulated[@]}"
        study "${every_experiment[@]}" accept_invalid=true || return 1
    done
    return 1
}
check 'each run is in the tables, and by no other name than its own' all_in_tables
services_in() { grep -oE 'service (rc|uc|ud)' "$1" | sort -u | wc -l; }
check 'messages of every service are drawn' test "$(services_in "$services")" = 3
check 'header-only and inlined messages of every service are drawn' test "$(services_in "$payloads")" = 3
check 'a figure says what it is of' grep -q 'source: emulated, back end rmc, profile emulated-rmc' "$figure"
check 'claims of a fabric are judged by it, and none about a card' "$python" - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("results/claims.csv")))
assert rows and {row["source"] for row in rows} == {"emulated"}
judged = {row["id"] for row in rows if row["verdict"] != "not-testable"}
# What other work disturbed is left out: on a busy host that may be every row.
alone = next(row for row in rows if row["id"] == "sonuma-atomics-as-reads")
assert alone["id"] in judged or "preempted" in alone["why"], alone
assert all(row["paper"] == "sonuma" for row in rows if row["id"] in judged), judged
PYTHON
check 'a second time there is nothing to do' \
    bash -c "ci/workflow --dry-run ${every_experiment[*]} accept_invalid=true onesided=$program 2>&1 | grep -q 'Nothing to be done'"
check 'no fabric is left behind' no_fabric_left "$fabrics_before"

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
ended_in_the_middle() {
    local before
    before=$(fabrics)
    rm -rf "$ways/long"
    ended_early "$program" --launch rmc --hop-delay-of asplos14-simulated
    says 'the same command goes on' && [[ $(<"$ways/long.exit") == 2 ]] && no_side_is_left && no_fabric_left "$before"
}
check 'a job that is ended leaves no process and no fabric' ended_in_the_middle

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
    local memories=' --buffer-bytes 256KiB,[0-9]*MiB --duration 300ms'
    # shellcheck disable=SC2053 # a pattern
    [[ $(<results/tables/far/fabric-reads.csv.gz) == ' reads --profile far --hop-delay 700ns'$memories &&
        $(<results/tables/emulated-rmc/fabric-reads.csv.gz) == ' reads --profile emulated-rmc'$memories ]]
}
check 'the fabric is measured by the command, for each emulated machine' fabric_is_measured
