# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# Results that are damaged, jobs that end early. What is complete stays what it was.

raw=results/raw/soft-roce-lab/latency-by-queue-pairs
marker=$(echo results/jobs/soft-roce-lab/smoke/latency-by-queue-pairs/*/1-1.csv)
mapfile -t names < <(cd "$raw" && printf '%s\n' * | sort)
# Identity and time of the runs but the first $1.
state() { for name in "${names[@]:$1}"; do stat -c '%n %i %Y' "$raw/$name"; done; }
complete() { "$program" check --table "$plan" --raw results/raw >/dev/null 2>&1; }

resumed() { # NAME FIRST-RUNS-THAT-ARE-NOT-COMPLETE
    rm -f "$marker"
    local before
    before=$(state "$2")
    check "$1: the same command goes on" study measured --config "${tiny[@]}"
    check "$1: only what is missing is measured" told "$((8 - $2)) of 8 runs are complete, $2 to do"
    check "$1: every run is there" complete
    check "$1: those that were complete are untouched" test "$before" = "$(state "$2")"
}

# One gone, one without its tables (half of a copy), one whose record breaks off, one invalid.
rm -rf "${raw:?}/${names[0]}"
rm "$raw/${names[1]}/windows.csv"
truncate -s 300 "$raw/${names[2]}/run.json"
sed -i 's/"status": "[a-z]*"/"status": "invalid"/' "$raw/${names[3]}/run.json"
resumed 'results half written' 4

rm -rf "${raw:?}/${names[0]}" "${raw:?}/${names[1]}" "$marker"
# The job is ended while the machines are up: as by a scheduler, by SIGTERM.
cancelled() {
    local waited=0 job
    study measured --config "${tiny[@]}" &
    job=$!
    until grep -q 'booting' "$said" 2>/dev/null || ((waited++ > 300)); do sleep 0.1; done
    sleep 3
    pkill -TERM -f "^bash [^ ]*measure --program $program" || return 1
    wait "$job" && { echo 'it ended well'; return 1; }
    told 'the same command goes on' || return 1
    ! pgrep -f "files $place/program" >/dev/null || { echo 'a machine is left running'; return 1; }
}
check 'a job that is ended says so and leaves nothing running' cancelled
resumed 'a job that was ended' 2

# A run table that somebody changed: a row twice, and a column less, as of an earlier version.
kept=$(<"$plan")
rm -f "$marker"
printf '%s\n%s\n' "$kept" "${kept##*$'\n'}" >"$plan"
check 'two runs of one name are refused' bash -c "! ci/workflow measured --config ${tiny[*]} onesided=$program >'$said' 2>&1"
check 'two runs of one name: both lines are named' told 'is already on line'
printf '%s\n' "$kept" | "$python" -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
at = rows[0].index("ddio")
csv.writer(open(sys.argv[1], "w", newline=""), lineterminator="\n").writerows(r[:at] + r[at + 1:] for r in rows)' "$plan"
check 'a run table of an earlier version is refused' bash -c "! ci/workflow measured --config ${tiny[*]} onesided=$program >'$said' 2>&1"
check 'a run table of an earlier version: the column and what to do' told 'column "ddio" is missing; is the run table of another version'
printf '%s\n' "$kept" >"$plan"
check 'no run was lost over it' complete

# A file system that is full after some runs.
disk_full() {
    mv results/raw "$place/raw"
    mkdir results/raw
    mount -t tmpfs -o size=2m tmpfs results/raw && cp -r "$place/raw/." results/raw/ || return 1
    rm -rf "${raw:?}/${names[0]}" "${raw:?}/${names[1]}" "$marker"
    head -c 4m /dev/zero >results/raw/filler 2>/dev/null
    local before
    before=$(state 2)
    study measured --config "${tiny[@]}" && { echo 'it ended well'; return 1; }
    told 'No space left on device' && test "$before" = "$(state 2)"
}
if [[ $EUID -eq 0 ]] && unshare --mount true 2>/dev/null; then
    check 'a full disk is told and costs no run' disk_full
    rm -f results/raw/filler
    resumed 'a disk that was full' 2
    umount results/raw && rmdir results/raw && mv "$place/raw" results/raw
else
    skip 'a full disk' 'mounting a small file system takes root'
fi
