# shellcheck shell=bash disable=SC2154 # ci/test.d/rdma sets out and onesided
# The experiments' runs: which there are, and whether each came to a valid end.

# The last varies nothing that an experiment does: what the harness can be asked for beside them.
designs=(experiments/*.toml ci/test.d/rdma.d/shared-receives.toml)
# How often runs are done that were not valid.
attempts=7

# expand_experiments FILE: the table of all of them; in a plain run, of those that have every level of every
# factor. On a busy host longer runs: an emulated card may
# take all of a tenth of a second for what a run of many queue pairs has in flight.
expand_experiments() {
    local stretch=$(((${ONESIDED_PACE:-100} + 50) / 100)) name more
    if ! "$onesided" expand "${designs[@]}" --level smoke --stretch "$stretch" --profile soft-roce-lab \
        --out "$out/every.csv" 2>"$out/expand.log"; then
        fail 'the designs expand' "$(<"$out/expand.log")"
        return 1
    fi
    pass "the designs expand ($(tail -n 1 "$out/expand.log"))"
    if is_deep; then
        cp "$out/every.csv" "$1"
    else
        find_python
        "$python" -B ci/test.d/rdma.d/every_level.py "$out/every.csv" "$1" >"$out/more"
        check 'what is left of them has every level of every factor' has_every_level "$1" || return
        while read -r name more; do skip_deep "$name: $more more runs, of levels that the others have"; done <"$out/more"
    fi
}

# levels_in FILE: each experiment with each value of each column, but of those that name a run or its turn.
levels_in() {
    rows "$1" | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { for (i = 1; i <= NF; i++) if (name[i] !~ /^(run_id|replicate|seed|block|order)$/) print $2, name[i], $i }' | sort -u
}
has_every_level() { diff <(levels_in "$out/every.csv") <(levels_in "$1"); }

# In quotes stand only texts; nothing that is looked up here.
rows() { sed 's/"[^"]*"//g' "$1"; }

# Values of the columns that are named, separated by blanks, a line for each row.
columns_of() {
    rows "$1" | awk -F, -v names="${*:2}" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; count = split(names, name, " "); next }
        { line = ""; for (i = 1; i <= count; i++) line = line (i > 1 ? " " : "") ($at[name[i]] == "" ? "-" : $at[name[i]]); print line }'
}

# As many runs of an experiment as it has came to a valid end. $1 is its name.
runs_of() {
    local due valid
    due=$(columns_of "$out/files/experiments.csv" experiment | grep -cx "$1")
    valid=$(grep -cE "^[^,]+,(valid|doubtful),.*/$1/[^/]+$" "$out/lab/lines")
    if [[ $due -gt 0 && $valid -eq $due ]]; then
        pass "$1: $valid of $due runs"
    else
        fail "$1" "$valid of $due runs are valid"
        grep -E "/$1/" "$out/lab/lines" | cut -d, -f1 | sort -u | while read -r run_id; do
            grep -qE "^$run_id,(valid|doubtful),.*/$1/" "$out/lab/lines" ||
                echo "  $(grep -F "$run_id" "$out/lab/run.log" | tail -n 1)"
        done
    fi
}

# Workers and load that were asked for did something. $1 is who, $2 and $3 are
# the columns with how many and with what they did in a second.
busy() {
    local some=0 many did
    while read -r many did; do
        case $many in 0 | none) continue ;; esac
        some=$((some + 1))
        awk -v did="$did" 'BEGIN { exit !(did > 0) }' || { echo "$1: $many, but $did accesses/s"; return 1; }
    done < <(columns_of "$out/lab/runs.csv" "$2" "$3")
    [[ $some -gt 0 ]] || { echo "no row has $1"; return 1; }
}

as_many_rows() { [[ $(columns_of "$out/lab/runs.csv" run_id | wc -l) -eq $(columns_of "$out/files/experiments.csv" run_id | wc -l) ]]; }

judge_experiments() {
    local design what who many did name
    if [[ ! -e $out/lab/lines ]]; then
        fail 'the lab ran the experiments' "$(tail -n 5 "$out/lab/a.stderr")"
        return
    fi
    grep '^REPEATED' "$out/lab/a.stdout"
    for design in "${designs[@]}"; do
        runs_of "$(basename "$design" .toml)"
    done
    echo "   attempts: $(<"$out/lab/attempts") of $attempts"
    for what in check collect; do
        if [[ $(<"$out/lab/$what.exit") -eq 0 ]]; then
            pass "onesided $what"
        else
            fail "onesided $what" "exit $(<"$out/lab/$what.exit")"
            tail -n 12 "$out/lab/$what.log"
        fi
    done
    check 'the tables have a row for each run' as_many_rows
    while read -r who many did; do
        name="$who access memory in every run that has some"
        if columns_of "$out/files/experiments.csv" "$many" | grep -qvxE '0|none'; then
            check "$name" busy "$who" "$many" "$did"
        else
            skip "$name" 'the experiments that were asked for have none'
        fi
    done <<'WHO'
workers workers worker_accesses_per_second
loads load_kind load_accesses_per_second
WHO
}
