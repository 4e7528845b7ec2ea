# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# The job: what the machines are told, in $LAB_JOB/share (their /lab), and the
# directory that they leave their results in (their /out).

# Sets LAB_JOB, and LAB_OUT_DIRECTORY unless it was asked for.
lab_make_job() {
    LAB_JOB=$(mktemp -d "${TMPDIR:-/tmp}/onesided-lab.XXXXXX") || return 1
    LAB_OUT_KEPT=yes
    if [[ -z $LAB_OUT_DIRECTORY ]]; then
        LAB_OUT_DIRECTORY=$(mktemp -d "${TMPDIR:-/tmp}/onesided-out.XXXXXX") || return 1
        LAB_OUT_KEPT=$([[ $LAB_QUIET == yes ]] && echo no || echo yes)
    fi
    if ! mkdir -p "$LAB_OUT_DIRECTORY" || ! LAB_OUT_DIRECTORY=$(realpath "$LAB_OUT_DIRECTORY"); then
        lab_fault "cannot create the output directory $LAB_OUT_DIRECTORY"
        return 1
    fi
    lab_clear_job
}

# The job before any machine is booted. What an earlier job or boot left would pass for this one's.
lab_clear_job() {
    rm -rf "$LAB_JOB/share" "$LAB_JOB"/wire-*
    rm -f "$LAB_OUT_DIRECTORY"/[a-h].{stdout,stderr,exit,console,qemu}
    mkdir -p "$LAB_JOB/share/bin"
    cp "$LAB_HERE/guest-wait" "$LAB_JOB/share/bin/lab-wait"
    : >"$LAB_OUT_DIRECTORY/a.stdout"
    : >"$LAB_OUT_DIRECTORY/a.stderr"
}

# What only a booted machine reads.
lab_fill_share() {
    local share=$LAB_JOB/share host peer index
    cp "$LAB_HERE/guest-init" "$share/guest-init"
    lab_number_shares >"$share/shares"
    printf '%s\n' "LAB_MACHINES='${LAB_MACHINES[*]}'" LAB_DEVICE=rxe0 "LAB_NIC_NODE=$LAB_NIC_NODE" \
        "LAB_MTU=$LAB_MTU" LAB_OUT=/out "LAB_ACCEL=$LAB_ACCEL" >"$share/environment"
    for host in "${LAB_MACHINES[@]}"; do
        peer=10.0.0.1
        if [[ $host == a && $LAB_HOSTS -gt 1 ]]; then peer=10.0.0.2; fi
        printf '%s\n' "LAB_ADDRESS=10.0.0.$(lab_index "$host")" "LAB_PEER_ADDRESS=$peer" \
            >"$share/$host.environment"
    done
    lab_argv "${LAB_COMMAND[@]}" >"$share/a.argv"
    for index in "${!LAB_PEERS[@]}"; do
        lab_argv "${LAB_PEERS[index]}" >"$share/${LAB_MACHINES[index + 1]}.argv"
    done
}

# "tag<TAB>path" of every --files, outer directories before inner ones.
lab_number_shares() {
    local path number=0
    if [[ ${#LAB_FILES[@]} -eq 0 ]]; then return; fi
    while read -r path; do
        printf 'files%d\t%s\n' "$number" "$path"
        number=$((number + 1))
    done < <(printf '%s\n' "${LAB_FILES[@]}" | sort -u)
}

# The words of a command, each ended by NUL; a single one is a line for sh.
lab_argv() {
    if [[ $# -eq 1 ]]; then set -- sh -c "$1"; fi
    printf '%s\0' "$@"
}

# Passes a's output on as it grows, until process $1 is gone and all is read.
lab_follow() {
    tail -n +1 -s 0.1 --pid="$1" -f "$LAB_OUT_DIRECTORY/a.stdout" &
    LAB_FOLLOWERS=("$!")
    tail -n +1 -s 0.1 --pid="$1" -f "$LAB_OUT_DIRECTORY/a.stderr" >&2 &
    LAB_FOLLOWERS+=("$!")
}
