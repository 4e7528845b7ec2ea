# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# Boots the machines, watches them to their end, and turns that end into the
# exit code of ci/lab.

# A boot takes 3 to 10 s of an idle machine under software emulation, and was
# seen to take ten times that on a busy one; beyond this it hangs.
LAB_BOOT_SECONDS=240
# b's command has 5 s for its SIGTERM (guest-init); the rest is for b itself.
LAB_STOP_SECONDS=20

LAB_PID_A='' LAB_PID_B=''

# Runs the job on machines; sets LAB_EXIT.
lab_on_machines() {
    lab_check_emulator || return 1
    lab_fill_share
    lab_start a || return 1
    LAB_PID_A=$!
    lab_follow "$LAB_PID_A"
    if [[ $LAB_HOSTS -eq 2 ]]; then
        # Until a listens there is no wire for b to be plugged into.
        while [[ ! -S $LAB_JOB/wire ]] && kill -0 "$LAB_PID_A" 2>/dev/null; do sleep 0.05; done
        lab_start b || return 1
        LAB_PID_B=$!
    fi
    local outcome=ended
    lab_watch || outcome=$LAB_OUTCOME
    : >"$LAB_JOB/share/stop"
    lab_stop_a "$outcome"
    lab_wait_for_b
    wait "${LAB_FOLLOWERS[@]}" 2>/dev/null
    lab_judge "$outcome"
}

lab_check_emulator() {
    if ! command -v qemu-system-x86_64 >/dev/null; then
        lab_fault "qemu-system-x86_64 is missing: run ci/install lab (Debian or Ubuntu)"
        return 1
    fi
    if [[ $LAB_HOSTS -eq 2 ]] && ! qemu-system-x86_64 -netdev help 2>/dev/null | grep -qx stream; then
        lab_fault "two hosts need -netdev stream (QEMU 7.2 or later), this is $(
            qemu-system-x86_64 --version | head -n 1)"
        return 1
    fi
}

# The machine dies with ci/lab even where no trap can run; $! is its process.
lab_start() {
    local host=$1 machine=()
    lab_machine "$host" || return 1
    setpriv --pdeathsig KILL "${machine[@]}" </dev/null >"$LAB_OUT_DIRECTORY/$host.qemu" 2>&1 &
}

# Until a is gone. Otherwise fails, with LAB_OUTCOME = boot | late | peer.
lab_watch() {
    local share=$LAB_JOB/share started='' end=$((SECONDS + LAB_BOOT_SECONDS))
    while kill -0 "$LAB_PID_A" 2>/dev/null; do
        if [[ -z $started && -e $share/a.started ]]; then
            started=yes
            end=$((SECONDS + LAB_TIMEOUT))
        elif [[ $SECONDS -ge $end ]]; then
            LAB_OUTCOME=$([[ -n $started ]] && echo late || echo boot)
            return 1
        elif [[ -n $LAB_PID_B && ! -e $share/b.up ]] && ! kill -0 "$LAB_PID_B" 2>/dev/null; then
            LAB_OUTCOME=peer
            return 1
        fi
        sleep 0.1
    done
}

lab_stop_a() {
    if [[ $1 != ended ]]; then kill -KILL "$LAB_PID_A" 2>/dev/null; fi
    wait "$LAB_PID_A" 2>/dev/null
    LAB_PID_A=''
}

lab_wait_for_b() {
    local end=$((SECONDS + LAB_STOP_SECONDS))
    if [[ -z $LAB_PID_B ]]; then return; fi
    if [[ -e $LAB_JOB/share/b.up ]]; then
        while kill -0 "$LAB_PID_B" 2>/dev/null && [[ $SECONDS -lt $end ]]; do sleep 0.1; done
    fi
    kill -KILL "$LAB_PID_B" 2>/dev/null && lab_say "machine b did not power off by itself"
    wait "$LAB_PID_B" 2>/dev/null
    LAB_PID_B=''
}

# The exit code of ci/lab, with the reason where it is the lab's own.
lab_judge() {
    local share=$LAB_JOB/share
    case $1 in
        late)
            lab_fault "time is up: the command did not end within $LAB_TIMEOUT s; its output is in $LAB_OUT_DIRECTORY"
            LAB_EXIT=124 ;;
        boot)
            if [[ $LAB_HOSTS -eq 2 && ! -e $share/b.up ]]; then
                lab_blame b "machine b was not up within $LAB_BOOT_SECONDS s"
            else
                lab_blame a "machine a did not reach the command within $LAB_BOOT_SECONDS s"
            fi ;;
        peer) lab_blame b "machine b ended before it was up" ;;
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
    for pid in $LAB_PID_A $LAB_PID_B ${LAB_FOLLOWERS[@]+"${LAB_FOLLOWERS[@]}"}; do
        kill -KILL "$pid"
        wait "$pid"
    done 2>/dev/null
}
