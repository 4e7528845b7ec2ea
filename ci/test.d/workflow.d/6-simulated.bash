# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# The study's designs in the model, and what the model says of the published conditions.

rm -rf results
designs=(experiments/{atomics,latency-by-queue-pairs,throughput-by-workers,worker-patterns}.toml)
if is_deep; then designs=(experiments/*.toml); fi
names=$(printf '%s\n' "${designs[@]}" | sed 's,.*/,,; s,\.toml$,,' | paste -sd,)
runs=$("$program" expand "${designs[@]}" --level full --only replicate=1 2>/dev/null | tail -n +2 | wc -l)
simulated=(profile=nurdma-cx3 source=simulated overlay=false level=full experiments="$names" only=replicate=1)
began=$SECONDS
check 'some designs at level full are simulated and judged' study measured results/claims.csv --config "${simulated[@]}"
echo "   $runs runs in $((SECONDS - began)) s"
deep 'every design at level full is simulated and judged' test "${#designs[@]}" -eq "$(printf '%s\n' experiments/*.toml | wc -l)" -a -s results/claims.csv
check 'what the model does not cover is reported once, with how many' \
    test "$(grep -oE "[0-9]+ of $runs runs are not covered by the model" "$said" | wc -l)" = 1
check 'each run is in the tables, and by no other name than its own' "$python" - "$runs" <<'PYTHON'
import csv, glob, gzip, sys
rows = list(csv.DictReader(gzip.open("results/tables/nurdma-cx3-simulated/runs.csv.gz", "rt")))
planned = [row for plan in glob.glob("results/plan/nurdma-cx3-simulated/full/*/runs.csv") for row in csv.DictReader(open(plan))]
left = [row for plan in glob.glob("results/plan/nurdma-cx3-simulated/full/*/not-covered-*.csv") for row in csv.DictReader(open(plan))]
assert len(rows) == len(planned) == int(sys.argv[1]) > 100, (len(rows), len(planned), sys.argv)
assert {(row["source"], row["back_end"], row["profile"]) for row in rows} == {("simulated", "sim", "nurdma-cx3")}
invalid = {row["run_id"] for row in rows if row["valid"] != "true"}
assert {row["run_id"] for row in left} == invalid and invalid, (len(left), len(invalid))
PYTHON
check 'claims are judged by it, as of source simulated' "$python" - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("results/claims.csv")))
assert {row["source"] for row in rows} == {"simulated"}
judged = [row for row in rows if row["value"]]
assert judged and all(row["basis"] for row in judged), len(judged)
assert all(row["basis"] == "predicted" for row in rows if row["verdict"] == "supported")
PYTHON
check 'a second time there is nothing to do' \
    bash -c "ci/workflow --dry-run measured results/claims.csv --config ${simulated[*]} onesided=$program 2>&1 | grep -q 'Nothing to be done'"
check 'progress is reported' bash -c "workflow/scripts/progress | grep -Eq '^all +$runs of +$runs$'"

# Some are gone, as after an interruption: the others are kept.
resumed_simulation() {
    local raw=results/simulated/nurdma-cx3/atomics before
    rm -rf results/jobs/nurdma-cx3-simulated/full/atomics
    find "$raw" -mindepth 1 -maxdepth 1 -name '*-rdma-local-*' -exec rm -rf {} +
    before=$(find "$raw" -name run.json -printf '%i\n' | sort)
    study measured --config "${simulated[@]}" || { tail -n 5 "$said"; return 1; }
    [[ -n $before && $(find "$raw" -name run.json | wc -l) -gt $(wc -l <<<"$before") ]] &&
        [[ $(comm -23 <(echo "$before") <(find "$raw" -name run.json -printf '%i\n' | sort)) == '' ]]
}
check 'an interrupted simulation goes on with what is missing' resumed_simulation

# Of the stored tables nothing is drawn; ci/test.d/report draws it all.
cat >"$place/predicted.yaml" <<'CONFIG'
source: [published]
predictions: [nurdma-apt]
sweeps: []
tables:
  published: {figures: []}
  stated: {figures: []}
  arithmetic: {figures: []}
CONFIG
# Of the harder questions the cheap one; ci/test.d/report asks them all.
"$python" - <<'PYTHON'
import pathlib, re
questions = pathlib.Path("paper/model.toml")
head, *entries = re.split(r"(?m)^(?=\[\[)", questions.read_text())
cheap = [entry for entry in entries if not entry.startswith("[[question]]") or "--parameters-of" in entry]
questions.write_text(head + "".join(cheap))
PYTHON
check 'predictions, their figures and the report need no machine' \
    study results/report.md results/figures/nurdma-apt-predicted/prediction-signs.svg --configfile "$place/predicted.yaml" --config
check 'predictions: what was held out is in the report as in the table' "$python" - <<'PYTHON'
import csv, gzip, json, re
folder = "results/tables/nurdma-apt-predicted"
rows = list(csv.DictReader(gzip.open(f"{folder}/predictions.csv.gz", "rt")))
points = sum(row["role"] == "held-out" for row in rows)
judged = json.load(open(f"{folder}/judged.json"))["on_held_out"]
assert judged["points"] == points > 0
text = open("results/report.md").read()
assert re.search(rf"^\| nurdma-apt \|.*\| {points} \| .* \| {judged['significant_pairs']} \| {judged['right_pairs']}\b", text, re.M)
assert "--hold-out everything --parameters-of" in text
PYTHON

# A machine whose parameters are damaged stops with the file and the parameter.
damaged_parameters() {
    local kept
    kept=$(<profiles/nurdma-cx3/simulation.toml)
    sed -i '0,/^value = .*/s//value = -1.0/' profiles/nurdma-cx3/simulation.toml
    study measured --config "${simulated[@]}" && { echo 'it ended well'; return 1; }
    echo "$kept" >profiles/nurdma-cx3/simulation.toml
    says 'simulation.toml' && says 'is not within'
}
check 'parameters that are absurd are refused by name' damaged_parameters
