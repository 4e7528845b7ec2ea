# shellcheck shell=bash
# Counts checks and ends with their count: sourced by what ci/test runs.
#
#   . ci/tally.bash
#   check 'a sentence that should be true' COMMAND [ARG]...
#   skip 'what is not checked' 'why'
#   tally            prints the count; its status is the verdict

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

# Counts each test of a Python file (unittest), run by the workflow's environment.
check_python() {
    local name result
    while read -r name _ result; do
        case $result in
            *ok) pass "$name" ;;
            *) fail "$name" "$result" ;;
        esac
    done < <("$(ci/workflow --environment)/bin/python3" "$1" 2>&1 | tee /dev/stderr |
        grep -E '^test_.* \.\.\. ' | sed 's/ (.*) \.\.\./ .../')
}

tally() {
    echo "$tally_passed passed, $tally_failed failed, $tally_skipped skipped"
    [[ $tally_failed -eq 0 ]]
}
