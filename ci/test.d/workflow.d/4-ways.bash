# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# The other ways to bring both sides up, on one machine of the lab.

mkdir "$place/ways"
"$program" expand experiments/latency-by-queue-pairs.toml --level smoke --profile soft-roce-lab \
    --only queue_pairs=1 --out "$place/ways/runs.csv" 2>/dev/null
# Minutes long, to be ended in the middle.
"$program" expand experiments/latency-by-queue-pairs.toml --level full --profile soft-roce-lab \
    --only queue_pairs=1 --only replicate=1 --out "$place/ways/long.csv" 2>/dev/null
cat >"$place/ways/session" <<'SESSION'
#!/usr/bin/env bash
measure=$1/workflow/scripts/measure onesided=$2 ways=$3
does() { "$measure" --program "$onesided" --table "$ways/runs.csv" --raw "/tmp/$1" --done "/out/$1.csv" "${@:2}" 2>"/out/$1.said"; }

does local --launch local
does rmc --launch rmc
"$onesided" serve --token-file /tmp/token 2>/dev/null &
server=$!
lab-wait /tmp/token 20
does server --launch auto --server 127.0.0.1:18515 --token-file /tmp/token
kill "$server"
does auto --launch auto
echo $? >/out/auto.exit

"$measure" --program "$onesided" --table "$ways/long.csv" --raw /tmp/long --done /out/long.csv --launch local 2>/out/long.said &
job=$!
until ls /tmp/long/*/*/*/run.json >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
began=$EPOCHREALTIME
kill -TERM $job
wait $job
echo $? >/out/long.exit
echo $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) >/out/long.ended_ms
pgrep -c onesided >/out/long.running
"$onesided" check /tmp/long/*/*/* >/out/long.checked
SESSION
chmod +x "$place/ways/session"
ci/lab --quiet --timeout 200 --files "$copy" --files "$place/program" --files "$place/ways" --out "$place/out" -- \
    "$place/ways/session" "$copy" "$program" "$place/ways" >"$said" 2>&1

all_complete() { [[ $(tail -n 1 "$place/out/$1.csv") == 4,4,0 ]] || { cat "$place/out/$1.said"; return 1; }; }
check 'both sides on one machine' all_complete local
check 'both sides on one machine, over the emulated controller on one of its two nodes' all_complete rmc
check 'a server that is up' all_complete server
check 'where the sides are must be said' grep -q 'where are the two sides' "$place/out/auto.said"
check 'and nothing is measured otherwise' test "$(<"$place/out/auto.exit")" = 2
check 'both sides on one machine: ended, the job says that it is not done' test "$(<"$place/out/long.exit")" = 2
check 'it ends long before its runs would' test "$(<"$place/out/long.ended_ms")" -lt 20000
check 'and leaves nothing running' test "$(<"$place/out/long.running")" = 0
check 'complete runs are whole' bash -c "! grep -v '^ok' '$place/out/long.checked'"
