# shellcheck shell=bash
# The program and the tests that stages run, compiled once for all of them: sourced after tally.bash.
#
#   find_program     sets $onesided to the program; ends the stage, as failed, where it does not build
#   find_python      sets $python to the workflow's, or where there is none yet to the system's
#   find_programs    that, and sets $programs to a file with a line for each test (ci/build --tests)
#
# environment: ONESIDED_BINARY  a program that is built already, in place of harness/target/debug/onesided

find_programs() {
    local built
    # Where others look for it, whatever the caller's environment says.
    export CARGO_TARGET_DIR=$PWD/harness/target
    # shellcheck disable=SC2034 # who sources this reads it
    programs=$PWD/results/test/programs
    onesided=${ONESIDED_BINARY:-$PWD/harness/target/debug/onesided}
    # ci/test removes it when it begins. To ask cargo again would be to wait for clippy, which has its lock.
    if [[ -n ${ONESIDED_TEST:-} && -s $programs ]]; then return; fi
    mkdir -p results/test && built=$(mktemp results/test/programs.XXXXXX) || exit
    # Under its last name it is whole: stages beside each other ask for it.
    if ! timed compiling 'program and tests' ci/build --tests >"$built" 2>"$built.log"; then
        fail 'the program and its tests build' "$(tail -n 20 "$built.log")"
        rm -f "$built" "$built.log"
        tally
        exit
    fi
    mv "$built" results/test/programs
    rm -f "$built.log"
}

# shellcheck disable=SC2034 # who sources this reads it
find_program() {
    if [[ -n ${ONESIDED_BINARY:-} ]]; then
        onesided=$(realpath "$ONESIDED_BINARY")
    else
        find_programs
    fi
}

# shellcheck disable=SC2034 # who sources this reads it
find_python() {
    python=$(ci/workflow --environment)/bin/python3
    [[ -x $python ]] || python=python3
}
