# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# Results that are damaged, jobs that end early. What is complete stays what it was.

raw=results/raw/emulated-rmc/latency-by-queue-pairs
marker=$(echo results/jobs/"$of_tiny"/*/all.csv)
mapfile -t names < <(cd "$raw" && printf '%s\n' * | sort)
complete() { "$program" check --table "$plan" --raw results/raw >/dev/null 2>&1; }
# Names of the runs that are complete, and their identity and time.
whole() {
    local missing
    missing=$("$program" check --table "$plan" --raw results/raw 2>/dev/null | awk '$1 == "MISSING" { print $2 }')
    printf '%s\n' "${names[@]}" | grep -vxF "${missing:-none}"
}
state() { for name; do stat -c '%n %i %Y' "$raw/$name"; done; }

# resumed NAME COMPLETE: so many of the runs are complete, and no others are touched.
resumed() {
    rm -f "$marker"
    local before kept
    mapfile -t kept < <(whole)
    before=$(state "${kept[@]}")
    check "$1: the same command goes on" measured "$1" measured "${tiny[@]}"
    check "$1: only what is missing is measured" says "$2 of 8 runs are complete, $((8 - $2)) to do"
    check "$1: every run is there" complete
    check "$1: those that were complete are untouched" test "$before" = "$(state "${kept[@]}")"
}

# One gone, one without its tables (half of a copy), one whose record breaks off, one invalid.
rm -rf "${raw:?}/${names[0]}"
rm "$raw/${names[1]}/windows.csv"
truncate -s 300 "$raw/${names[2]}/run.json"
sed -i 's/"status": "[a-z]*"/"status": "invalid"/' "$raw/${names[3]}/run.json"
resumed 'results half written' 4

# The job is ended in the middle of its runs: as by a scheduler, by SIGTERM.
fabrics_before=$(fabrics)
one_is_made() { [[ $(whole | wc -l) -gt 2 ]] || ! kill -0 "$job" 2>/dev/null; }
cancelled() {
    local job status try
    for try in {1..3}; do
        rm -f "$marker"
        for name in "${names[@]:0:6}"; do rm -rf "${raw:?}/$name"; done
        study measured "${tiny[@]}" &
        job=$!
        until one_is_made; do sleep 0.05; done
        pkill -TERM -f "^bash [^ ]*measure --program $program"
        wait "$job"
        status=$?
        [[ $status -eq 0 && $try -lt 3 ]] || break
        # Four more runs take over a second: who does not see the first by then is starved.
        repeated 'a job that is ended' 'it was done before its end was asked for' >&3
    done
    [[ $status -ne 0 ]] || { echo 'it ended well'; return 1; }
    says 'the same command goes on' || return 1
    if pgrep -f "^$program (serve|run|join) "; then echo 'a side is left running'; return 1; fi
    no_fabric_left "$fabrics_before"
}
check 'a job that is ended says so and leaves nothing running' cancelled
done_before=$(whole | wc -l)
check 'a job that was ended: what it had done is kept' test "$done_before" -gt 2 -a "$done_before" -lt 8
resumed 'a job that was ended' "$done_before"

# A run table that somebody changed: a row twice, and a column less, as of an earlier version.
table=$(<"$plan")
rm -f "$marker"
refuses_the_table() { ! study measured "${tiny[@]}"; }
printf '%s\n%s\n' "$table" "${table##*$'\n'}" >"$plan"
check 'two runs of one name are refused' refuses_the_table
check 'two runs of one name: both lines are named' says 'is already on line'
printf '%s\n' "$table" | "$python" -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
at = rows[0].index("ddio")
csv.writer(open(sys.argv[1], "w", newline=""), lineterminator="\n").writerows(r[:at] + r[at + 1:] for r in rows)' "$plan"
check 'a run table of an earlier version is refused' refuses_the_table
check 'a run table of an earlier version: the column and what to do' says 'column "ddio" is missing; is the run table of another version'
printf '%s\n' "$table" >"$plan"
check 'no run was lost over it' complete

# A file system that is full after some runs.
disk_full() {
    mv results/raw "$place/raw"
    mkdir results/raw
    mount -t tmpfs -o size=2m tmpfs results/raw && cp -r "$place/raw/." results/raw/ || return 1
    for name in "${names[@]:0:2}"; do rm -rf "${raw:?}/$name"; done
    rm -f "$marker"
    head -c 4m /dev/zero >results/raw/filler 2>/dev/null
    local before
    before=$(state "${names[@]:2}")
    study measured "${tiny[@]}" && { echo 'it ended well'; return 1; }
    says 'No space left on device' && test "$before" = "$(state "${names[@]:2}")"
}
if [[ $EUID -eq 0 ]] && unshare --mount true 2>/dev/null; then
    check 'a full disk is reported and costs no run' disk_full
    rm -f results/raw/filler
    resumed 'a disk that was full' 6
    umount results/raw && rmdir results/raw && mv "$place/raw" results/raw
else
    skip 'a full disk' 'mounting a small file system takes root'
fi
