# shellcheck shell=bash
# How fast this machine is now: limits of time are multiples of it, so that a busy host is no failure.
#
#   . ci/pace.bash
#   pace              prints how long it takes, in percent of a quiet machine: 100 or more
#   cpu_pace FILE     prints what CPU time such work takes, in percent: how fast the CPUs are, whatever waits for
#                     them; FILE is overwritten
#   patience SECONDS  prints the limit that SECONDS of a quiet machine are here: whole seconds
#   only_starved FILE [PATTERN]
#                     whether all runs that FILE (-: standard input) tells of as failed or invalid only had no CPU; PATTERN
#                     is of what else such a host does
#
# environment: ONESIDED_PACE  what pace said at the start  [100]
#              LAB_ACCEL      tcg on a machine of the lab whose CPUs are emulated

# What the work below takes where nothing else runs, in us: medians of six on a machine of 2 cores,
# and on an emulated one of it.
PACE_QUIET_US=10000
PACE_QUIET_EMULATED_US=132000

# Work of one thread without a process: what is measured is the CPUs, not the disk.
pace_work() {
    local number sum=0
    for ((number = 0; number < 5000; number++)); do sum=$((sum + number)); done
}

# The slowest of three: a host that is busy is so now and then.
pace() {
    local quiet=$PACE_QUIET_US began us worst=0 _
    [[ ${LAB_ACCEL:-} != tcg ]] || quiet=$PACE_QUIET_EMULATED_US
    for _ in 1 2 3; do
        began=$EPOCHREALTIME
        pace_work
        us=$((${EPOCHREALTIME/./} - ${began/./}))
        [[ $us -le $worst ]] || worst=$us
    done
    us=$((100 * worst / quiet))
    echo $((us > 100 ? us : 100))
}

# Ten of them, since CPU time is told in ms. `times` tells that of the shell that it runs in, on its first line.
cpu_pace() {
    local before after _
    times >"$1"
    read -r before _ <"$1"
    for _ in {1..10}; do pace_work; done
    times >"$1"
    read -r after _ <"$1"
    echo $((100 * ($(ms_of "$after") - $(ms_of "$before")) / (10 * PACE_QUIET_US / 1000)))
}
# ms_of TIME: of 1m2.345s.
ms_of() {
    local minutes=${1%m*} seconds=${1#*m}
    seconds=${seconds%s}
    echo $((60000 * minutes + 10#${seconds/./}))
}

# What a run says whose peer had no CPU for longer than requests are repeated, as a pattern for also_starved.
# shellcheck disable=SC2034 # who sources this reads it
UNANSWERED=' failed in .*: no answer within timeout x retry count'

patience() { echo $((($1 * ${ONESIDED_PACE:-100} + 99) / 100)); }

# Doubts by which a run is invalid that had no CPU, as a pattern. Such runs, and no others, are done
# again: where the host is busy a thread, or all of an emulated machine, may stand still for a while.
STARVED='nothing-measured|load-idle|queue-pairs-idle|standstill'

only_starved() {
    local told
    told=$(grep -E ' failed in | INVALID ' "$1") && ! grep -qvE " INVALID \(($STARVED)\)${2:+|$2}" <<<"$told"
}
