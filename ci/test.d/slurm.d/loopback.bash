# shellcheck shell=bash disable=SC2154 # the stage sets $cluster
# The cluster as processes of this machine, on its loopback device: any user may start it. They and
# what they start have ONESIDED_CLUSTER in their environment, by which they are found again.

# free_ports NUMBER: ports on which nothing listens, below those that the kernel gives to clients.
free_ports() {
    python3 - "$1" <<'PYTHON'
import random, socket, sys
found = []
while len(found) < int(sys.argv[1]):
    held = socket.socket()
    try:
        held.bind(("", random.randrange(20000, 32000)))
        found.append(held)
    except OSError:
        held.close()
print(*(held.getsockname()[1] for held in found))
PYTHON
}

# Snakemake's jobs lose every SLURM_ variable, SLURM_CONF with them, which on a cluster nobody sets.
cluster_commands() {
    local command
    mkdir -p "$cluster/bin"
    for command in srun scontrol squeue; do
        printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$cluster/slurm.conf" "$(command -v "$command")" \
            >"$cluster/bin/$command"
        chmod +x "$cluster/bin/$command"
    done
    PATH=$cluster/bin:$PATH
}

# cluster_start NODE...: the nodes are idle when it returns; fails with what the daemons said.
cluster_start() {
    export ONESIDED_CLUSTER=$cluster SLURM_CONF=$cluster/slurm.conf PATH
    head -c 128 /dev/urandom >"$cluster.key" && cluster_folder "$cluster.key" && rm "$cluster.key" || return
    cluster_munged || return
    cluster_commands
    local _
    # Between the choice of a port and its use somebody else may take it.
    for _ in 1 2 3; do
        cluster_daemons "$@" && return
        cluster_end slurmctld slurmd
    done
    tail -n 5 "$cluster"/log/*
    return 1
}

cluster_daemons() {
    local here ports name nodes=()
    here=$(uname -n)
    here=${here%%.*}
    read -ra ports <<<"$(free_ports $(($# + 1)))"
    for name; do nodes+=("$name:$here:127.0.0.1:${ports[${#nodes[@]} + 1]}"); done
    cluster_configure "$here(127.0.0.1)" "${ports[0]}" "${nodes[@]}"
    slurmctld -c || return
    for name; do
        mkdir -p "$cluster/$name"
        slurmd -N "$name" || return
    done
    within 10 cluster_is_idle $#
}

# cluster_processes [NAME]...: those of the cluster and of what it started, or only those that run
# these programs. No process is started for it: it would be one of them.
cluster_processes() {
    local environment process variables name
    for environment in /proc/[0-9]*/environ; do
        process=${environment//[!0-9]/}
        [[ $process -ne $BASHPID && $process -ne $$ ]] || continue
        mapfile -d '' -t variables <"$environment" || continue
        [[ " ${variables[*]} " == *" ONESIDED_CLUSTER=$cluster "* ]] || continue
        read -r name <"/proc/$process/comm"
        if [[ $# -eq 0 || " $* " == *" ${name%-wlm} "* ]]; then echo "$process $name"; fi
    done 2>/dev/null
}

# cluster_end [NAME]...: ends them, first so that they can tidy.
cluster_end() {
    local process _
    cluster_signal TERM "$@"
    for _ in {1..100}; do
        [[ -n $(cluster_processes "$@") ]] || return 0
        sleep 0.1
    done
    cluster_signal KILL "$@"
}

cluster_signal() {
    local process _
    while read -r process _; do kill "-$1" "$process"; done 2>/dev/null < <(cluster_processes "${@:2}")
}

# Jobs first, as long as somebody can end them.
cluster_stop() {
    [[ -n ${ONESIDED_CLUSTER:-} ]] || return 0
    timeout 5 scancel --user="$(id -un)" 2>/dev/null
    cluster_end
    unset ONESIDED_CLUSTER
}
