# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# The other ways to bring both sides up. What carries the operations is the program's own business:
# the ways start, find and end its processes. Here it is to use the emulated controller; with
# --deep the same is done over the kernel's device, on a machine of the lab.

ways=$place/ways
mkdir "$ways"
controller=$(workflow/launch/rmc.d/controller)
# The program, on whose every side the emulated controller of one fabric is the card.
cat >"$place/program/over-rmc" <<PROGRAM
#!/bin/sh
case \$1 in
    serve | run | join) side=\$1; shift; exec "$program" "\$side" --back-end rmc $controller --fabric "$ways/fabric" "\$@" ;;
    *) exec "$program" "\$@" ;;
esac
PROGRAM
chmod +x "$place/program/over-rmc"
# shellcheck disable=SC2086 # two words, or none
expand_here() {
    "$program" expand experiments/latency-by-queue-pairs.toml --profile emulated-rmc --possible-here $controller \
        --only server_region=rdma-local "$@" 2>/dev/null
}
expand_here --level smoke --out "$ways/runs.csv"
# Minutes long, to be ended in the middle.
expand_here --level full --only queue_pairs=1 --out "$ways/long.csv"

# does NAME ARGUMENT...: the short table; the sentences are in NAME.said, how it ended in NAME.exit.
does() {
    workflow/scripts/measure --program "$place/program/over-rmc" --table "$ways/runs.csv" --raw "$ways/$1" \
        --done "$ways/$1.csv" "${@:2}" >"$ways/$1.said" 2>&1
    echo $? >"$ways/$1.exit"
}
all_complete() { [[ $(tail -n 1 "$ways/$1.csv") == 4,4,0 ]] || { cat "$ways/$1.said"; return 1; }; }
# way NAME WAY ARGUMENT...: all runs are complete, over that way; again where they only lack CPUs.
way() {
    local name=$1 said try
    for try in {1..3}; do
        does "${@:2}"
        if all_complete "$2" >"$ways/why"; then pass "$name"; return; fi
        said=$ways/$2.said
        if [[ $try -eq 3 ]] || ! was_starved; then break; fi
        repeated "$name" "$(grep -m 1 ' INVALID ' "$said")"
    done
    check "$name" all_complete "$2"
}
way 'both sides on one machine' local --launch local
"$place/program/over-rmc" serve --listen 127.0.0.1:0 --token-file "$ways/token" 2>"$ways/serve.said" &
server=$!
listens_at() { sed -nE 's/.* on (127\.0\.0\.1:[0-9]+); .*/\1/p' "$ways/serve.said"; }
listens() { [[ -n $(listens_at) ]]; }
until_true 20 listens
way 'a server that is up' server --launch auto --server "$(listens_at)" --token-file "$ways/token"
kill "$server"
wait "$server"
does auto --launch auto
check 'where the sides are must be said' grep -q 'where are the two sides' "$ways/auto.said"
check 'and nothing is measured otherwise' test "$(<"$ways/auto.exit")" = 2 -a -z "$(compgen -G "$ways/auto/*/*/*")"

# ended_early PROGRAM ARGUMENT...: leaves how a job of the long table ended, which is to end once
# its first run is complete: one that is half written has another name.
ended_early() {
    local job began
    workflow/scripts/measure --program "$1" --table "$ways/long.csv" --raw "$ways/long" --done "$ways/long.done" \
        "${@:2}" >"$said" 2>&1 &
    job=$!
    until compgen -G "$ways/long/*/*/*[0-9a-f]/run.json" >/dev/null || ! kill -0 "$job" 2>/dev/null; do sleep 0.05; done
    began=$EPOCHREALTIME
    kill -TERM "$job"
    wait "$job"
    echo $? >"$ways/long.exit"
    echo $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) >"$ways/long.ended_ms"
}
no_side_is_left() { ! pgrep -af "^$program (serve|run|join) "; }
ended_early "$place/program/over-rmc" --launch local
check 'both sides on one machine: ended, the job says that it is not done' test "$(<"$ways/long.exit")" = 2
check 'it ends long before its runs would' test "$(<"$ways/long.ended_ms")" -lt $((1000 * $(limit 10)))
check 'and leaves nothing running' no_side_is_left
whole_runs() { "$program" check "$ways"/long/*/*/*[0-9a-f] >"$said" 2>&1; [[ -s $said ]] && ! grep -v "^ok" "$said"; }
check 'complete runs are whole' whole_runs

# Over the kernel's device of a machine with two NUMA nodes.
cat >"$ways/session" <<'SESSION'
#!/usr/bin/env bash
measure=$1/workflow/scripts/measure onesided=$2 ways=$3
does() { "$measure" --program "$onesided" --table "$ways/lab.csv" --raw "/tmp/$1" --done "/out/$1.csv" "${@:2}" 2>"/out/$1.said"; }

does local --launch local
does rmc --launch rmc
"$onesided" serve --token-file /tmp/token 2>/dev/null &
server=$!
lab-wait /tmp/token 20
does server --launch auto --server 127.0.0.1:18515 --token-file /tmp/token
kill "$server"

"$measure" --program "$onesided" --table "$ways/lab-long.csv" --raw /tmp/long --done /out/long.csv --launch local 2>/out/long.said &
job=$!
until ls /tmp/long/*/*/*[0-9a-f]/run.json >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
kill -TERM $job
wait $job
echo $? >/out/long.exit
pgrep -c onesided >/out/long.running
SESSION
chmod +x "$ways/session"
if is_deep; then
    "$program" expand experiments/latency-by-queue-pairs.toml --level smoke --profile soft-roce-lab \
        --only queue_pairs=1 --out "$ways/lab.csv" 2>/dev/null
    "$program" expand experiments/latency-by-queue-pairs.toml --level full --profile soft-roce-lab \
        --only queue_pairs=1 --only replicate=1 --out "$ways/lab-long.csv" 2>/dev/null
    ONESIDED_STEP='ways to bring both sides up' ci/lab --quiet --timeout "$(limit 200)" --files "$copy" \
        --files "$place/program" --files "$ways" --out "$ways/lab" -- \
        "$ways/session" "$copy" "$program" "$ways" >"$said" 2>&1
fi
complete_in_lab() { [[ $(tail -n 1 "$ways/lab/$1.csv") == 4,4,0 ]] || { tail -n 20 "$said" "$ways/lab/$1.said"; return 1; }; }
deep 'over Soft-RoCE: both sides on one machine' complete_in_lab local
deep 'over Soft-RoCE: a server that is up' complete_in_lab server
deep 'both sides on one machine, over the emulated controller on one of its two nodes' complete_in_lab rmc
ended_in_lab() { [[ $(<"$ways/lab/long.exit") == 2 && $(<"$ways/lab/long.running") == 0 ]]; }
deep 'over Soft-RoCE: a job that is ended says that it is not done, and leaves nothing running' ended_in_lab
