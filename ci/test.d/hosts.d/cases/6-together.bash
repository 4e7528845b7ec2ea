# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # server.bash uses; attempt.bash sets
# Several client hosts: this one, which keeps the results, and those that have joined. Only on the
# machine that has others beside it.

# Emulated machines stand still for longer than a device usually repeats a request.
together=(--client-hosts 2 --threads 2 --queue-pairs 4 --counting-window 100ms --warm-up 500ms
    --timeout-exponent 18)

# c_joins NUMBER: for the first time or again; returns when the server has it.
c_joins() {
    : >"/out/join.$1"
    within 60 grep -q joined "/out/join.$1.log"
}

# A run is good; where an emulated machine stands still for too long it is done again.
good_together() {
    local try
    for ((try = 1; try <= most_tries; try++)); do
        attempt 90 "${client[@]}" "${together[@]}" --duration 2s "${@:2}"
        [[ $status -eq 1 ]] || break
    done
    good_run "$1"
}

too_few_hosts() {
    attempt 60 "${client[@]}" "${together[@]}" --duration 2s
    failed_run "$1" 'the run asks for 2 client hosts' '0 further ones have joined' \
        'start `onesided join` on more machines'
}

two_hosts() {
    too_few_hosts 'a run of more client hosts than there are'
    check 'a further client host joins' c_joins 1
    good_together 'a run of two client hosts'
    cp -r "$(last_run)" /out/together
}

killed_host() {
    in_background "${client[@]}" "${together[@]}" --duration 60s
    pause 2
    : >/out/kill.1
    await_end 40
    failed_run 'a further client host that is killed' 'client host c (10.0.0.3:' ') is gone: the '
    check 'a further client host that is killed: the client does not wait for the end of the run' \
        test "$took" -lt 30
    run 60 "${short[@]}"
    ended 'after it the server serves a client alone' 0
    too_few_hosts 'the host that was killed is missed'
    check 'it can join again' c_joins 2
    good_together 'a run of two client hosts after that' --operation fetch-and-add
}
