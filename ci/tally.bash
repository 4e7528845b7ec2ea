# shellcheck shell=bash
# Counts checks and ends with their count: sourced by what ci/test runs.
#
#   . ci/tally.bash
#   check 'a sentence that should be true' COMMAND [ARG]...
#   deep 'a sentence that only ci/test --deep proves' COMMAND [ARG]...
#   deep_part LIST COMMAND [ARG]...    many of them, whose names are in a file
#   skip 'what is not checked' 'why'
#   repeated 'what was done again' 'why the host is to blame'
#   timed KIND STEP COMMAND [ARG]...   adds the seconds to the times that ci/test shows
#   tally            prints the count; its status is the verdict
#
# environment, set by ci/test: ONESIDED_DEPTH  plain or deep  [plain]
#                              ONESIDED_TIMES  a file of steps and their seconds  [none]
#                              ONESIDED_STAGE  the stage that steps are of

tally_passed=0 tally_failed=0 tally_skipped=0

# Its output is shown only when it fails.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        pass "$name"
    else
        fail "$name" "exit $?"
        tail -n 60 <<<"$output"
    fi
}

pass() {
    tally_passed=$((tally_passed + 1))
    echo "ok $1"
}

fail() {
    tally_failed=$((tally_failed + 1))
    echo "FAIL $1: $2"
}

skip() {
    tally_skipped=$((tally_skipped + 1))
    echo "SKIPPED $1: $2"
}

# Whether this is ci/test --deep.
is_deep() { [[ ${ONESIDED_DEPTH:-plain} == deep ]]; }

deep() {
    if is_deep; then check "$@"; else skip_deep "$1"; fi
}

# skip_deep NAME...: a line and a count for each check that a plain run leaves out.
skip_deep() {
    local name
    for name; do
        tally_skipped=$((tally_skipped + 1))
        echo "SKIPPED (deep) $name"
    done
}

# The names of the checks that passed in a log, each once: without what is measured, such as "(3 s)".
names_of_checks() { sed -nE 's/^ok //; t name; b; :name; s/ \([0-9.]+ s\)$//; p' "$1" | sort -u; }

# agrees LIST LOG: LIST has the name of each check in LOG, passed or skipped, and no other.
agrees() {
    local difference
    difference=$(diff <(sort -u "$1") <({ names_of_checks "$2"; names_of_skips "$1" "$2"; } | sort -u))
    echo "$difference"
    [[ -z $difference ]]
}

# names_of_skips LIST LOG: names in LIST that LOG has as skipped, whatever the reason behind them is.
names_of_skips() {
    local name
    while read -r name; do
        if grep -qF -- "SKIPPED $name: " "$2"; then echo "$name"; fi
    done <"$1"
}

# deep_part LIST COMMAND...: COMMAND counts its checks itself, by the functions above. A plain run
# prints the names in LIST as skipped; a deep one plays them, and fails where LIST is not their names.
deep_part() {
    local list=$1 deep_log name before
    shift
    if ! is_deep; then
        while read -r name; do skip_deep "$name"; done <"$list"
        return
    fi
    deep_log=$(mktemp)
    before=$tally_failed
    # Not a pipe, whose sides would be shells of their own: COMMAND counts in this one.
    "$@" >"$deep_log"
    cat "$deep_log"
    if [[ $tally_failed -eq $before ]]; then
        check "$list names the checks of the deep run" agrees "$list" "$deep_log"
    fi
    rm -f "$deep_log"
}

# repeated NAME WHY: something is done once more, because the host was too busy for it. Counted by
# ci/test and shown; it is no verdict.
repeated() { echo "REPEATED $1: $2"; }

# timed KIND STEP COMMAND...: KIND is compiling, booting, emulated or native.
timed() {
    local kind=$1 step=$2 began=$EPOCHREALTIME status
    shift 2
    "$@"
    status=$?
    note_time "$kind" "$step" "$began"
    return "$status"
}

# note_time KIND STEP BEGAN: BEGAN is a value of $EPOCHREALTIME.
note_time() {
    local us=$((${EPOCHREALTIME/./} - ${3/./}))
    [[ -n ${ONESIDED_TIMES:-} ]] || return 0
    printf '%s,%s,%s,%d.%d\n' "${ONESIDED_STAGE:-}" "${2//[,\"]/ }" "$1" \
        $((us / 1000000)) $((us / 100000 % 10)) >>"$ONESIDED_TIMES"
}

# Adds the counts of a log that ends with such a line itself; without one, that is a failure.
add_count_of() {
    local name=$1 log=$2
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        tally_passed=$((tally_passed + BASH_REMATCH[1]))
        tally_failed=$((tally_failed + BASH_REMATCH[2]))
        tally_skipped=$((tally_skipped + BASH_REMATCH[3]))
    else
        fail "$name" 'it ended without its count'
    fi
}

# Counts each test of a Python file (unittest) with its arguments, run by the workflow's environment, or by `python`. A test
# that is skipped says why between quotes.
check_python() {
    local said status before=$tally_failed name result
    said=$("${python:-$(ci/workflow --environment)/bin/python3}" "$@" 2>&1)
    status=$?
    [[ $status -eq 0 ]] || echo "$said"
    while read -r name _ result; do
        case $result in
            *ok) pass "$name" ;;
            skipped\ *) result=${result#skipped [\'\"]} && skip "$name" "${result%[\'\"]}" ;;
            *) fail "$name" "$result" ;;
        esac
    done < <(grep -E '^test_.* \.\.\. ' <<<"$said" | sed 's/ (.*) \.\.\./ .../')
    [[ $status -eq 0 || $tally_failed -gt $before ]] || fail "$1" "exit $status"
}

tally() {
    echo "$tally_passed passed, $tally_failed failed, $tally_skipped skipped"
    [[ $tally_failed -eq 0 ]]
}
