# shellcheck shell=bash disable=SC2154 # who sources this sets $cluster
# A Slurm cluster without root, systemd, cgroups or a database: munged, slurmctld and a slurmd for
# each node, with all of their files in one folder, $cluster.
#
# The socket of munged and those of the steps are in it: their paths have at most 107 bytes (unix(7)).

# Longest name of that folder that leaves room for them.
# shellcheck disable=SC2034 # who sources this reads it
CLUSTER_LONGEST_NAME=80

# cluster_folder KEY-FILE: what the daemons need there; the key is the same on every machine.
cluster_folder() {
    mkdir -p "$cluster"/{log,state,munge} || return
    # munged wants everybody to reach its socket.
    chmod 755 "$cluster/munge"
    (umask 077 && cp "$1" "$cluster/key")
}

cluster_munged() {
    munged --force --key-file="$cluster/key" --socket="$cluster/munge/socket" \
        --pid-file="$cluster/munged.pid" --seed-file="$cluster/munge.seed" --log-file="$cluster/log/munged"
}

# cluster_configuration CONTROLLER PORT NODE...: CONTROLLER is HOST(ADDRESS), a NODE is
# NAME:HOST:ADDRESS:PORT. An ended job is remembered for an hour, because the checks look at it.
cluster_configuration() {
    local node name host address port
    cat <<CONFIGURATION
ClusterName=test
SlurmctldHost=$1
SlurmctldPort=$2
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
StateSaveLocation=$cluster/state
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdSpoolDir=$cluster/%n
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmdLogFile=$cluster/log/slurmd.%n
MinJobAge=3600
PartitionName=rdma Nodes=ALL Default=YES State=UP
CONFIGURATION
    for node in "${@:3}"; do
        IFS=: read -r name host address port <<<"$node"
        echo "NodeName=$name NodeHostname=$host NodeAddr=$address Port=$port" \
            "CPUs=2 RealMemory=500 Feature=numa2,rdma State=UNKNOWN"
    done
}

# cluster_configure ARGUMENT OF cluster_configuration...
cluster_configure() {
    cluster_configuration "$@" >"$cluster/slurm.conf"
    # slurmd looks for one of the two kinds of cgroups, and may find none; of this it believes it.
    echo CgroupPlugin=cgroup/v1 >"$cluster/cgroup.conf"
}

# cluster_is_idle NUMBER: so many nodes are.
cluster_is_idle() { [[ $(sinfo --noheader --Node --format=%t 2>/dev/null | grep -cx idle) -eq $1 ]]; }
