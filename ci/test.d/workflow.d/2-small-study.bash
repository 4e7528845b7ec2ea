# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# A small study from beginning to end, and what a change redoes.

# On a starved host a run may not be valid, and its job fails: the same command goes on with it.
small_study() {
    study --config "${tiny[@]}" && return
    echo '   once more, after:'
    tail -n 12 "$said"
    rm -rf results/lab
    study --config "${tiny[@]}" || { tail -n 25 "$said"; return 1; }
}
check 'a small study runs from designs to the report' small_study
rows() { gzip -dc "$1" | tail -n +2 | wc -l; }
plan=results/plan/soft-roce-lab/smoke/latency-by-queue-pairs/runs.csv
check 'each planned run is in the tables' \
    test "$(rows results/tables/soft-roce-lab/runs.csv.gz)" = "$(tail -n +2 "$plan" | wc -l)"
check 'there is a figure of it, alone and over the published one' \
    ls results/figures/soft-roce-lab/latency-by-queue-pairs.svg results/figures/published-with-soft-roce-lab/latency-by-queue-pairs.svg
check 'there are verdicts on both sources' grep -q ',soft-roce,' results/claims.csv
check 'there is a report' test -s results/report.html -a -s results/report.pdf
check 'nothing of the lab is left behind' bash -c '! ls results/lab/*'
check 'progress is told' bash -c "workflow/scripts/progress | grep -Eq '^all +8 of +8$'"

nothing_to_do() {
    local began=$EPOCHREALTIME
    study --dry-run --config "${tiny[@]}" || return 1
    echo "   nothing to do: $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) ms"
    told 'Nothing to be done'
}
check 'a second time there is nothing to do' nothing_to_do

# What a dry run would redo after $1 was touched, as "rule count ..." in one line.
redone() {
    touch "$1"
    study --dry-run --quiet rules --config "${tiny[@]}"
    awk '/^-----/ { seen = 1; next } seen && $1 == "total" { exit } seen { print $1, $2 }' "$said" | sort | paste -sd' '
}
check 'a figure script redraws its figures, and the report' \
    test "$(redone figures/latency-by-queue-pairs.R)" = 'all 1 figure 3 report_html 1 report_pdf 1 report_text 1'
study --config "${tiny[@]}"
check 'the text of the report makes the report alone' \
    test "$(redone paper/report.md)" = 'all 1 report_html 1 report_pdf 1 report_text 1'
study --config "${tiny[@]}"
made=$(find results/raw -name run.json -printf '%p %i %T@\n' | sort)
check 'the program is newer: tables are made again, runs are not' \
    bash -c "[[ '$(redone "$program")' == *collect\ 1\ figure* ]]"
check 'and made' study --config "${tiny[@]}"
check 'and no run is measured again' test "$made" = "$(find results/raw -name run.json -printf '%p %i %T@\n' | sort)"
check 'the engine makes its own report' bash -c "ci/workflow --config ${tiny[*]} onesided=$program --report '$place/engine.html' >'$said' 2>&1 && test -s '$place/engine.html'"

one_file_more() {
    sed 's/"latency-by-queue-pairs"/"mine"/' experiments/latency-by-queue-pairs.toml |
        sed 's/^figures = .*/figures = ["latency-by-queue-pairs"]/' >experiments/mine.toml
    study --dry-run --quiet rules --config level=smoke experiments=latency-by-queue-pairs,mine &&
        [[ $(planned design) == 1 && $(planned soft_roce) == 1 ]]
}
check 'an added experiment is one file and no rule' one_file_more
rm experiments/mine.toml
check 'of a design that was touched the jobs are looked at again' \
    bash -c "[[ '$(redone experiments/latency-by-queue-pairs.toml)' == *collect\ 1\ design\ 1\ *soft_roce\ 1* ]]"
