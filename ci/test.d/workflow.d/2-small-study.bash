# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# A small study from beginning to end, and what a change redoes: eight runs on any machine, over the
# emulated controller. Of the stored tables one figure is drawn; ci/test.d/report draws them all.

cat >"$place/small.yaml" <<'CONFIG'
profile: [emulated-rmc]
level: reproduce
experiments: [latency-by-queue-pairs]
only: ["queue_pairs=1,2", "replicate=1", "server_region=rdma-local"]
predictions: []
sweeps: []
fabric: []
tables:
  published: {figures: [latency-by-queue-pairs]}
  stated: {figures: []}
  arithmetic: {figures: []}
CONFIG
tiny=(--configfile "$place/small.yaml" --config)
of_tiny=emulated-rmc/reproduce/latency-by-queue-pairs

fabrics_before=$(fabrics)
check 'a small study runs from designs to the report' measured 'a small study' "${tiny[@]}"
rows() { gzip -dc "$1" | tail -n +2 | wc -l; }
plan=results/plan/$of_tiny/runs.csv
check 'each planned run is in the tables' \
    test "$(rows results/tables/emulated-rmc/runs.csv.gz)" = "$(tail -n +2 "$plan" | wc -l)"
check_python workflow/tests/schemas.py results/raw
check 'there is a figure of it, alone and over the published one' \
    ls results/figures/emulated-rmc/latency-by-queue-pairs.svg results/figures/published-with-emulated-rmc/latency-by-queue-pairs.svg
check 'there are verdicts on both sources' bash -c 'grep -q ,published, results/claims.csv && grep -q ,emulated, results/claims.csv'
check 'there is a report' test -s results/report.html -a -s results/report.pdf
check 'there is an explorer of it' test -s results/explorer.html
check 'and a line names it and counts its runs' \
    says 'results/explorer.html: 5,260 published runs, 8 of your own (8 emulated)'
check 'no fabric of it is left behind' no_fabric_left "$fabrics_before"
check 'progress is reported' bash -c "workflow/scripts/progress | grep -Eq '^all +8 of +8$'"

nothing_to_do() {
    local began=$EPOCHREALTIME
    study --dry-run "${tiny[@]}" || return 1
    echo "   nothing to do: $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) ms"
    says 'Nothing to be done'
}
check 'a second time there is nothing to do' nothing_to_do

# What a dry run would redo after $1 was touched, as "rule count ..." in one line. The file's time is
# put back, so that the next question is about another file alone.
redone() {
    touch -r "$1" "$place/time"
    touch "$1"
    study --dry-run --quiet rules "${tiny[@]}"
    touch -r "$place/time" "$1"
    awk '/^-----/ { seen = 1; next } seen && $1 == "total" { exit } seen { print $1, $2 }' "$said" | sort | paste -sd' '
}
check 'a figure script redraws its figures, and the report' \
    test "$(redone figures/latency-by-queue-pairs.R)" = 'all 1 figure 3 report_html 1 report_pdf 1 report_text 1'
check 'the text of the report makes the report alone' \
    test "$(redone paper/report.md)" = 'all 1 report_html 1 report_pdf 1 report_text 1'
check 'of a design that was touched the jobs are looked at again' \
    bash -c "[[ '$(redone experiments/latency-by-queue-pairs.toml)' == *collect\ 1\ design_here\ 1\ emulate\ 1* ]]"
check 'the program is newer: tables are made again, runs are not' \
    bash -c "[[ '$(redone "$program")' == *collect\ 1\ explorer\ 1\ figure*report_text* ]]"

made=$(find results/raw -name run.json -printf '%p %i %T@\n' | sort)
touch "$program" paper/report.md
check 'and made' study "${tiny[@]}"
check 'and no run is measured again' test "$made" = "$(find results/raw -name run.json -printf '%p %i %T@\n' | sort)"
engine_report() {
    ci/workflow "${tiny[@]}" "onesided=$program" --report "$place/engine.html" >"$said" 2>&1 && test -s "$place/engine.html"
}
check 'the engine makes its own report' engine_report

one_file_more() {
    sed 's/"latency-by-queue-pairs"/"mine"/' experiments/latency-by-queue-pairs.toml |
        sed 's/^figures = .*/figures = ["latency-by-queue-pairs"]/' >experiments/mine.toml
    study --dry-run --quiet rules "${tiny[@]}" experiments=latency-by-queue-pairs,mine &&
        [[ $(planned design_here) == 1 && $(planned emulate) == 1 ]]
}
check 'an added experiment is one file and no rule' one_file_more
rm -f experiments/mine.toml
