# shellcheck shell=bash disable=SC2016,SC2034,SC2154,SC2317,SC2329 # b expands; matrix sets the rest, and faults.bash calls
# The faults in the middle of perftest, for matrix: its process takes the place of the client, and of the
# server. Sourced after faults.bash, of which it replaces what is about a server of ours.

# It reads for so long, begins this long before the fault, and is waited for so long after it, in seconds.
PERFTEST_TAKES=10 PERFTEST_BEFORE=3 PERFTEST_IS_AWAITED=40

process_of() { if [[ $1 == client ]]; then echo "$measuring"; else echo '$perftest'; fi; }
undo_killed() { :; }
undo_device-deleted() { at "$1" 'wait "$deleting"; rdma link add rxe0 type rxe netdev eth0'; }

await_death() { # SECONDS
    local until=$(($(now) + 1000 * $(patience "$1")))
    while lives && [[ $(now) -lt $until ]]; do pause 0.05; done
}

# On both sides alike: its device is the one that the lab names, the timeout the one of most of our runs (14). Where its client
# has ended it says nothing to a server that waits for it; so both are killed after each cell.
perftest_cell() { # PROGRAM FAULT SIDE
    local program=$1 fault=$2 side=$3 began after outcome exit_status='' message
    local command="$1 -d $LAB_DEVICE -s 8 -u 14 -D $PERFTEST_TAKES -F"
    : >"$work/made"
    order "$command >/tmp/perftest 2>&1 & perftest=\$!"
    pause 1
    $command "$LAB_PEER_ADDRESS" >"$work/stdout" 2>"$work/stderr" </dev/null &
    measuring=$!
    pause "$PERFTEST_BEFORE"
    began=$(now)
    if ! lives; then
        outcome='never began'
    elif ! "make_$fault" "$side" >"$work/made" 2>&1; then
        outcome='no fault'
    else
        if [[ $fault == stopped && $side == client ]]; then
            pause 12
            undo_stopped client
            began=$(now)
        fi
        outcome=hung
        # By its own clock: on a slow machine it reads less, not longer.
        while lives && [[ $(($(now) - began)) -lt $((1000 * PERFTEST_IS_AWAITED)) ]]; do pause 0.05; done
        if ! lives; then
            wait "$measuring" 2>/dev/null
            exit_status=$?
            outcome=ended
            [[ $exit_status -ne 0 ]] || outcome=survived
        fi
    fi
    after=$(($(now) - began))
    message=$(cat "$work/made" "$work/stdout" "$work/stderr" | grep -iE 'fail|error|status|unable|could' | tail -n 1 | tr ',"\t' ';  ' | cut -c 1-200)
    kill -KILL "$measuring" 2>/dev/null
    order 'kill -KILL "$perftest" 2>/dev/null; true'
    # While a link is down the kernel may not end a process that has queue pairs; with a deleted device it must be
    # gone before the fault is.
    await_death 5
    "undo_$fault" "$side" >"$work/undone" 2>&1
    await_death 20
    lives || wait "$measuring" 2>/dev/null
    local deadline=$(($(now) + 1000 * $(patience 20)))
    until ping -q -c 1 -W 1 "$LAB_PEER_ADDRESS" >/dev/null || [[ $(now) -ge $deadline ]]; do pause 0.2; done
    printf '%s,%s,%s,%s,%s.%s,%s,"%s"\n' "$fault" "$side" "$program" "$outcome" \
        $((after / 1000)) $((after % 1000 / 100)) "$exit_status" "$message" >>/out/perftest.csv
    printf '%-14s %-6s %-11s %-11s %4s s  exit %-3s %s\n' "$fault" "$side" "$program" "$outcome" $((after / 1000)) \
        "$exit_status" "$message"
}

play_perftest() { # FAULT...
    local fault side program
    echo 'fault,side,program,outcome,after_s,exit,message' >/out/perftest.csv
    for fault; do
        for side in ${sides[$fault]}; do
            for program in ib_read_lat ib_read_bw; do perftest_cell "$program" "$fault" "$side"; done
        done
    done
}
