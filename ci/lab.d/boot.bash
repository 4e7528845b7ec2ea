# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# Boots the machines, watches them to their end, and turns that end into the
# exit code of ci/lab.

# A boot takes 3 to 10 s of an idle machine under software emulation, and was
# seen to take ten times that on a busy one. An emulated machine may also hang
# before its first word (once in some hundreds of boots); so machines that are not
# all up by then are booted once more, with more patience. On a host that is slow
# when the lab begins both limits are as many times longer.
LAB_FIRST_BOOT_SECONDS=90
LAB_SECOND_BOOT_SECONDS=240
# A peer's command has 5 s for its SIGTERM (guest-init); the rest is for the machine itself.
LAB_STOP_SECONDS=20

# LAB_PIDS_PEERS: of b and those after it, in their order.
LAB_PID_A='' LAB_PIDS_PEERS=()

# Runs the job on machines; sets LAB_EXIT. No command begins before all machines are
# up (guest-init): what is booted once more has done nothing yet.
lab_on_machines() {
    local pace
    pace=$(pace)
    lab_check_emulator || return 1
    LAB_BOOT_SECONDS=${LAB_BOOT_ASKED:-$(ONESIDED_PACE=$pace patience "$LAB_FIRST_BOOT_SECONDS")}
    lab_try_machines || return
    [[ $LAB_OUTCOME == boot ]] || return 0
    lab_fault "booting once more"
    lab_clear_job
    LAB_BOOT_SECONDS=$(ONESIDED_PACE=$pace patience "$LAB_SECOND_BOOT_SECONDS")
    lab_try_machines
}

# One boot, and the job if all are up; sets LAB_EXIT and LAB_OUTCOME.
lab_try_machines() {
    lab_fill_share
    local began=$EPOCHREALTIME
    LAB_BOOTED=''
    lab_start a || return 1
    LAB_PID_A=$!
    lab_follow "$LAB_PID_A"
    local host
    LAB_OUTCOME=ended
    for host in "${LAB_MACHINES[@]:1}"; do
        # Until a listens there is no wire for it to be plugged into.
        while [[ ! -S $(lab_wire "$host") ]] && kill -0 "$LAB_PID_A" 2>/dev/null; do sleep 0.05; done
        lab_start "$host" || return 1
        LAB_PIDS_PEERS+=("$!")
    done
    lab_watch
    : >"$LAB_JOB/share/stop"
    lab_stop_a
    lab_wait_for_peers
    wait "${LAB_FOLLOWERS[@]}" 2>/dev/null
    lab_note_time booting "$began" "${LAB_BOOTED:-$EPOCHREALTIME}"
    [[ -z $LAB_BOOTED ]] || lab_note_time emulated "$LAB_BOOTED" "$EPOCHREALTIME"
    lab_judge
}

# lab_note_time KIND BEGAN ENDED: the seconds between, where ci/test asks for them (ci/tally.bash).
lab_note_time() {
    local us=$((${3/./} - ${2/./}))
    [[ -n ${ONESIDED_TIMES:-} ]] || return 0
    printf '%s,%s,%s,%d.%d\n' "${ONESIDED_STAGE:-}" "${ONESIDED_STEP:-the lab}" "$1" \
        $((us / 1000000)) $((us / 100000 % 10)) >>"$ONESIDED_TIMES"
}

lab_check_emulator() {
    if ! command -v qemu-system-x86_64 >/dev/null; then
        lab_fault "qemu-system-x86_64 is missing: run ci/install lab (Debian or Ubuntu)"
        return 1
    fi
    if [[ $LAB_HOSTS -gt 1 ]] && ! qemu-system-x86_64 -netdev help 2>/dev/null | grep -qx stream; then
        lab_fault "several hosts need -netdev stream (QEMU 7.2 or later), this is $(
            qemu-system-x86_64 --version | head -n 1)"
        return 1
    fi
}

# The machine dies with ci/lab even where no trap can run; $! is its process. It has a session of its own:
# QEMU ends at a hangup even under nohup, because it handles the signal that nohup ignores.
lab_start() {
    local host=$1 machine=()
    lab_machine "$host" || return 1
    setsid setpriv --pdeathsig KILL "${machine[@]}" </dev/null >"$LAB_OUT_DIRECTORY/$host.qemu" 2>&1 &
}

# Machines that are not up yet, beside a.
lab_absent() {
    local host
    for host in "${LAB_MACHINES[@]:1}"; do
        [[ -e $LAB_JOB/share/$host.up ]] || printf '%s\n' "$host"
    done
}

# A machine beside a that ended before it was up; fails where there is none.
lab_stillborn() {
    local host
    for host in $(lab_absent); do
        if ! kill -0 "${LAB_PIDS_PEERS[$(lab_index "$host") - 2]}" 2>/dev/null; then
            printf '%s' "$host"
            return 0
        fi
    done
    return 1
}

# Until a is gone. Otherwise LAB_OUTCOME is boot, late or peer.
lab_watch() {
    local share=$LAB_JOB/share started='' end=$((SECONDS + LAB_BOOT_SECONDS))
    while kill -0 "$LAB_PID_A" 2>/dev/null; do
        if [[ -z $started && -e $share/a.started ]]; then
            started=yes LAB_BOOTED=$EPOCHREALTIME
            end=$((SECONDS + LAB_TIMEOUT))
        elif [[ $SECONDS -ge $end ]]; then
            LAB_OUTCOME=$([[ -n $started ]] && echo late || echo boot)
            return
        elif [[ -z $started ]] && LAB_STILLBORN=$(lab_stillborn); then
            LAB_OUTCOME=peer
            return
        fi
        sleep 0.1
    done
}

lab_stop_a() {
    if [[ $LAB_OUTCOME != ended ]]; then kill -KILL "$LAB_PID_A" 2>/dev/null; fi
    wait "$LAB_PID_A" 2>/dev/null
    LAB_PID_A=''
}

lab_wait_for_peers() {
    local end=$((SECONDS + LAB_STOP_SECONDS)) index pid host
    for index in "${!LAB_PIDS_PEERS[@]}"; do
        pid=${LAB_PIDS_PEERS[index]} host=${LAB_MACHINES[index + 1]}
        if [[ -e $LAB_JOB/share/$host.up ]]; then
            while kill -0 "$pid" 2>/dev/null && [[ $SECONDS -lt $end ]]; do sleep 0.1; done
        fi
        kill -KILL "$pid" 2>/dev/null && lab_say "machine $host did not power off by itself"
        wait "$pid" 2>/dev/null
    done
    LAB_PIDS_PEERS=()
}

# The exit code of ci/lab, with the reason where it is the lab's own.
lab_judge() {
    local share=$LAB_JOB/share absent
    case $LAB_OUTCOME in
        late)
            lab_fault "time is up: the command did not end within $LAB_TIMEOUT s; its output is in $LAB_OUT_DIRECTORY"
            LAB_EXIT=124 ;;
        boot)
            absent=$(lab_absent | head -n 1)
            if [[ -n $absent ]]; then
                lab_blame "$absent" "machine $absent was not up within $LAB_BOOT_SECONDS s"
            else
                lab_blame a "machine a did not reach the command within $LAB_BOOT_SECONDS s"
            fi ;;
        peer) lab_blame "$LAB_STILLBORN" "machine $LAB_STILLBORN ended before it was up" ;;
        ended)
            if [[ -e $share/a.exit ]]; then
                LAB_EXIT=$(<"$share/a.exit")
            elif [[ -e $share/a.started ]]; then
                lab_blame a "machine a ended in the middle of the command"
            else
                lab_blame a "machine a ended before the command"
            fi ;;
    esac
}

# A failure of machine $1 in its own words, then QEMU's, then its console's.
lab_blame() {
    local host=$1 file
    lab_fault "$2"
    if [[ -s $LAB_JOB/share/$host.failed ]]; then
        lab_fault "machine $host says: $(<"$LAB_JOB/share/$host.failed")"
    fi
    for file in "$host.qemu" "$host.console"; do
        if [[ -s $LAB_OUT_DIRECTORY/$file ]]; then
            lab_fault "the end of $LAB_OUT_DIRECTORY/$file:"
            tr -d '\r' <"$LAB_OUT_DIRECTORY/$file" | tail -n 60 >&2
        fi
    done
    LAB_EXIT=125
}

# What may still run when ci/lab ends early; only what it started itself.
lab_kill_machines() {
    local pid
    for pid in $LAB_PID_A ${LAB_PIDS_PEERS[@]+"${LAB_PIDS_PEERS[@]}"} ${LAB_FOLLOWERS[@]+"${LAB_FOLLOWERS[@]}"}; do
        kill -KILL "$pid"
        wait "$pid"
    done 2>/dev/null
}
