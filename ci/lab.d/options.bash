# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# The command line of ci/lab: sets the LAB_ variables that the other files
# read. A mistake ends ci/lab with 125 and says which option it is in.

lab_usage() {
    cat <<'USAGE'
usage: ci/lab [OPTION]... -- COMMAND [ARG]...
       ci/lab --prepare
Runs COMMAND as root on an emulated machine with NUMA nodes and an emulated RDMA
device (rdma_rxe, Soft-RoCE), or on several of them joined by a wire. One COMMAND
without ARGs is a line for sh.

  --hosts N              machines, named a, b, c and so on, up to eight; one
                         alone talks to itself                                 [1]
  --peer 'COMMAND'       command of b (a line for sh), which gets SIGTERM when
                         COMMAND ends; a second --peer is for c, a third for d
  --nodes N              NUMA nodes of each machine                            [2]
  --cpus-per-node N      CPUs of each node                                     [2]
  --memory-per-node M    memory of each node, in M or G                        [768M]
  --nic-node N           node of the NIC                                       [1; 0 of one node]
  --mtu BYTES            MTU of the wire; 4200 allows a path MTU of 4096       [4200]
  --accel auto|kvm|tcg   auto boots a kernel once to see whether KVM works     [auto]
  --where auto|vm|host   host: a device of this host, no machine is booted;
                         auto is vm unless ONESIDED_LAB=host                   [auto]
  --with containers      a root that also has podman, crun and what they need
  --timeout SECONDS      limit for COMMAND; a boot has its own                [600]
  --boot-timeout SECONDS if machines are not up by then, all are booted again,
                         once                             [90; more on a busy host]
  --files DIR            DIR is seen, read-only, at the same (resolved) path;
                         may be repeated
  --out DIR              what is written to /out ends up here          [a new one in /tmp]
  --quiet                no messages of the lab but failures; without --out,
                         nothing is kept
  --prepare              only build kernel and root, if they are missing

COMMAND starts in /out, which all machines share, with LAB_HOST (a, b, ...),
LAB_ADDRESS (10.0.0.1 of a, 10.0.0.2 of b, ...), LAB_PEER_ADDRESS, LAB_DEVICE,
LAB_NIC_NODE, LAB_OUT and LAB_ACCEL (kvm|tcg|host) in its environment. The peer of
a is b, that of all others a; alone, a is its own. On rxe0 the address is GID
index 1 (RoCE v2). `lab-wait FILE SECONDS` waits for a file: a barrier between
machines. All devices are up before COMMAND starts.

Its output is passed on as it comes. Kept in --out: a.stdout a.stderr a.exit
a.console, and the same of the others.

exit: COMMAND's own; 124 time is up; 125 the lab failed, and says why.

environment: ONESIDED_CACHE (default $XDG_CACHE_HOME/onesided) holds kernel and
root; ONESIDED_LAB_RECIPE names a kernel and root that are built already (nix/lab.nix);
ONESIDED_LAB; ONESIDED_LAB_DEVICE names the device for --where host.
USAGE
}

lab_refuse() {
    lab_fault "$1 (see ci/lab --help)"
    exit 125
}

# $1 is the option, $2 its value, $3 the least it may be.
lab_number() {
    [[ $2 =~ ^[0-9]{1,9}$ && $((10#$2)) -ge $3 ]] || lab_refuse "$1 takes a whole number from $3, not '$2'"
    printf '%d' "$((10#$2))"
}

# Machines by number: a, b, ...; as many as there are addresses for in a job.
LAB_NAMES=(a b c d e f g h)

lab_count_of_hosts() {
    local count
    count=$(lab_number --hosts "$1" 1) || exit
    [[ $count -le ${#LAB_NAMES[@]} ]] || lab_refuse "--hosts takes at most ${#LAB_NAMES[@]}, not '$1'"
    printf '%d' "$count"
}

# $1 is the option, $2 its value, the rest the words it may be.
lab_word() {
    local option=$1 value=$2 word
    shift 2
    for word in "$@"; do
        [[ $value == "$word" ]] && printf '%s' "$value" && return
    done
    lab_refuse "$option takes one of: $* (not '$value')"
}

# A size with its unit, in MiB.
lab_mebibytes() {
    case $2 in
        *[0-9]M) lab_number "$1" "${2%M}" 128 ;;
        *[0-9]G) echo "$((1024 * $(lab_number "$1" "${2%G}" 1)))" ;;
        *) lab_refuse "$1 takes a size such as 768M or 2G, not '$2'" ;;
    esac
}

# A directory to show to the machines, resolved; not one they live in.
lab_files() {
    local directory
    directory=$(realpath -e "$1" 2>/dev/null)
    [[ -n $directory && -d $directory ]] || lab_refuse "--files takes a directory that exists, not '$1'"
    case $directory in
        / | /usr | /bin | /sbin | /lib | /lib64 | /etc | /tmp | /run | /var | /lab* | /out* | /dev* | /proc* | /sys* | *$'\n'* | *$'\t'*)
            lab_refuse "--files cannot show '$directory': the machine has its own" ;;
    esac
    printf '%s' "$directory"
}

lab_read_options() {
    LAB_TASK=run LAB_HOSTS=1 LAB_NODES=2 LAB_CPUS=2 LAB_MEMORY_MIB=768 LAB_NIC_NODE='' LAB_MTU=4200
    LAB_ACCEL_ASKED=auto LAB_WHERE=auto LAB_WITH='' LAB_TIMEOUT=600 LAB_BOOT_ASKED='' LAB_OUT_DIRECTORY='' LAB_QUIET=no
    LAB_PEERS=() LAB_FILES=() LAB_COMMAND=()
    local option value
    while [[ $# -gt 0 ]]; do
        option=$1
        shift
        case $option in
            --) LAB_COMMAND=("$@"); break ;;
            --help) lab_usage; exit 0 ;;
            --prepare) LAB_TASK=prepare; continue ;;
            --quiet) LAB_QUIET=yes; continue ;;
            --*=*) value=${option#*=} option=${option%%=*} ;;
            --*)
                [[ $# -gt 0 ]] || lab_refuse "$option is unknown or lacks its value"
                value=$1
                shift ;;
            *) lab_refuse "COMMAND comes after --, but '$option' before it" ;;
        esac
        lab_take_option "$option" "$value"
    done
    lab_check_options
}

# `|| exit`: a refusal within $( ) must end ci/lab, not only the substitution.
lab_take_option() {
    case $1 in
        --hosts) LAB_HOSTS=$(lab_count_of_hosts "$2") || exit ;;
        --nodes) LAB_NODES=$(lab_number "$1" "$2" 1) || exit ;;
        --cpus-per-node) LAB_CPUS=$(lab_number "$1" "$2" 1) || exit ;;
        --memory-per-node) LAB_MEMORY_MIB=$(lab_mebibytes "$1" "$2") || exit ;;
        --nic-node) LAB_NIC_NODE=$(lab_number "$1" "$2" 0) || exit ;;
        --mtu) LAB_MTU=$(lab_number "$1" "$2" 576) || exit ;;
        --accel) LAB_ACCEL_ASKED=$(lab_word "$1" "$2" auto kvm tcg) || exit ;;
        --where) LAB_WHERE=$(lab_word "$1" "$2" auto vm host) || exit ;;
        --with) LAB_WITH=$(lab_word "$1" "$2" containers) || exit ;;
        --boot-timeout) LAB_BOOT_ASKED=$(lab_number "$1" "$2" 1) || exit ;;
        --timeout) LAB_TIMEOUT=$(lab_number "$1" "$2" 1) || exit ;;
        --files) LAB_FILES+=("$(lab_files "$2")") || exit ;;
        --out) LAB_OUT_DIRECTORY=$2 ;;
        --peer) LAB_PEERS+=("$2") ;;
        *) lab_refuse "$1 is unknown" ;;
    esac
}

lab_check_options() {
    if [[ -z $LAB_NIC_NODE ]]; then
        LAB_NIC_NODE=$((LAB_NODES > 1 ? 1 : 0))
    fi
    [[ $LAB_NIC_NODE -lt $LAB_NODES ]] \
        || lab_refuse "--nic-node $LAB_NIC_NODE is not one of the $LAB_NODES nodes (0 is the first)"
    [[ ${#LAB_PEERS[@]} -lt $LAB_HOSTS ]] \
        || lab_refuse "--peer given ${#LAB_PEERS[@]} times needs --hosts $((${#LAB_PEERS[@]} + 1)), not $LAB_HOSTS"
    LAB_MACHINES=("${LAB_NAMES[@]:0:LAB_HOSTS}")
    [[ $LAB_TASK == prepare || ${#LAB_COMMAND[@]} -gt 0 ]] || lab_refuse "no COMMAND after --"
    if [[ $LAB_WHERE == auto ]]; then
        LAB_WHERE=$(lab_word ONESIDED_LAB "${ONESIDED_LAB:-vm}" vm host) || exit
    fi
}
