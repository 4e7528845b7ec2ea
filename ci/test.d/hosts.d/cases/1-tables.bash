# shellcheck shell=bash disable=SC2154 # attempt.bash sets
# Runs by table; whether they were what the table says is looked at when the machine is gone. In memory until
# then: what each run writes costs as much as the run on the folder that is shared with the host.

# Runs that have fewer proofs of the middle than memories that are proven then.
unproven_in_the_middle() {
    local run due
    for run in /tmp/by-table/hosts/*/*[0-9a-f]; do
        due=4
        if grep -q '"load_process": "' "$run/run.json"; then due=5; fi
        [[ $(grep -c '"when": "during"' "$run/run.json") -ge $due ]] || echo "$run"
    done
}

tables() {
    local rows try unproven
    rows=$(($(wc -l <"$here/runs.csv") - 1))
    for try in {1..5}; do
        attempt 500 "$onesided" run --server "$server_address" --token-file /out/token \
            --table "$here/runs.csv" --out /tmp/by-table
        [[ $try -gt 1 ]] || check "$rows runs by table: there is a line for each" \
            test "$(wc -l <<<"$stdout")" -eq $((rows + 1))
        [[ $status -eq 0 ]] || was_starved "$status" "$stderr" || break
        mapfile -t unproven < <(unproven_in_the_middle)
        [[ $status -ne 0 || ${#unproven[@]} -gt 0 ]] || break
        echo "   try $try: exit $status, ${#unproven[@]} runs without a proof of their middle"
        [[ $try -eq 5 ]] || rm -rf "${unproven[@]}"
    done
    ended "$rows runs by table: each is valid" 0
    tar --create --file /out/by-table.tar --directory /tmp by-table
    rm -r /tmp/by-table
    check "$rows runs by table: no load is left after them" no_load
}
