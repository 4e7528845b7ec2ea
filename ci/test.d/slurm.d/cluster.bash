# shellcheck shell=bash disable=SC2154 # LAB_ADDRESS is the lab's
# A Slurm cluster within one machine of the lab: munged, slurmctld and a slurmd for each of its
# nodes, all on the machine's own address. No cgroups and no database.

cluster_work=/run/slurm

# cluster_start NODE...: the nodes are idle when it returns; fails with what the daemons said.
cluster_start() {
    local name
    mkdir -p "$cluster_work"/{state,log} /etc/munge /etc/slurm /run/munge /var/lib/munge
    chmod 755 /run/munge && chmod 711 /var/lib/munge
    (umask 077 && head -c 128 /dev/urandom >/etc/munge/munge.key)
    munged --force --log-file="$cluster_work/log/munged" || return
    cluster_configuration "$@" >/etc/slurm/slurm.conf
    # slurmd looks for one of the two kinds of cgroups, and neither is mounted; of this it believes it.
    echo CgroupPlugin=cgroup/v1 >/etc/slurm/cgroup.conf
    slurmctld -c || return
    for name; do
        mkdir -p "$cluster_work/spool.$name"
        slurmd -N "$name" || return
    done
    for _ in {1..300}; do
        [[ $(sinfo --noheader --Node --format=%t 2>/dev/null | grep -cx idle) -ne $# ]] || return 0
        sleep 0.1
    done
    sinfo --long --Node
    tail -n 20 "$cluster_work"/log/*
    return 1
}

# The controller and the nodes share this machine, so each node has a port of its own. An ended job
# is remembered for an hour, because the cases look at it, and everything is slow here.
cluster_configuration() {
    local name port=6820 here
    here=$(uname -n)
    cat <<CONFIGURATION
ClusterName=lab
SlurmctldHost=$here($LAB_ADDRESS)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$cluster_work/log/completed
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
StateSaveLocation=$cluster_work/state
SlurmctldPidFile=$cluster_work/slurmctld.pid
SlurmctldLogFile=$cluster_work/log/slurmctld
SlurmdSpoolDir=$cluster_work/spool.%n
SlurmdPidFile=$cluster_work/slurmd.%n.pid
SlurmdLogFile=$cluster_work/log/slurmd.%n
MinJobAge=3600
PartitionName=rdma Nodes=ALL Default=YES State=UP
CONFIGURATION
    for name; do
        echo "NodeName=$name NodeHostname=$here NodeAddr=$LAB_ADDRESS Port=$((port++))" \
            "CPUs=2 RealMemory=500 Feature=numa2,rdma State=UNKNOWN"
    done
}
