# shellcheck shell=bash disable=SC2034 # used by what sources it
# What both programs are told: said once here, for each in its own words.
#
# They are perftest's defaults on this device, but for
# - the MTU: its default is the port's;
# - the number of operations: as many as ours did in its measuring time;
# - the peak (-N): it costs a clock read for each operation, and the mean does
#   not need it, so that this is perftest at its fastest;
# - the moderation, 100: eight queue pairs move in step, so that ours would be
#   counted in steps of 800 operations, 2 to 4 % of what a second holds here.
#
# perftest leaves the data of writes and sends out of the request (-I 0) on rxe, retries 7
# times (6 at the most in ours, because rxe takes 7 for ever) and waits 4.096 us
# x 2^14 for an acknowledgement.
mtu=1024 depth=128 moderation=16 post_list=1 outstanding=128 timeout_exponent=14

# How long ours measures, after its warm-up: in which eight queue pairs are
# filled and their recorders, 2 MB, are mapped.
latency_time=500ms rate_time=1s warm_up=300ms

# Everything runs on the NIC's node: client and server on a CPU of it each.
node=$LAB_NIC_NODE
cpus=$(<"/sys/devices/system/node/node$node/cpulist")
client_cpu=${cpus%%[-,]*} server_cpu=${cpus##*[-,]}

ours_always=(
    --mtu "$mtu" --max-rd-atomic "$outstanding" --timeout-exponent "$timeout_exponent"
    --warm-up "$warm_up" --threads 1 --completion-queues per-thread
    --client-threads "cpus:$client_cpu" --server-threads "cpus:$server_cpu"
    --client-buffers "$node" --client-rings "$node" --server-region "$node" --server-rings "$node"
)
# perftest's latency programs have queues of one request.
ours_latency=(--duration "$latency_time" --send-queue-depth 1)
ours_rate=(
    --loop saturating --duration "$rate_time" --window "$depth" --send-queue-depth "$depth"
    --signal-every "$moderation" --post-list "$post_list"
)
declare -A ours_of=(
    [ib_read_lat]='--operation read --loop closed'
    [ib_write_lat]='--operation write --loop ping-pong'
    [ib_atomic_lat]='--operation fetch-and-add --loop closed'
    [ib_read_bw]='--operation read'
    [ib_write_bw]='--operation write'
    [ib_send_lat]='--operation send --loop ping-pong'
    [ib_send_bw]='--operation send'
)

peer_port=18600
peer_always=(-d "$LAB_DEVICE" -x 1 -m "$mtu" -u "$timeout_exponent" -p "$peer_port" -F)
peer_rate=(-t "$depth" -Q "$moderation" -l "$post_list" -N)
# A message that is lost would keep its server waiting for a number of them for ever: it measures
# for a time there, in whole seconds, none of it left out.
peer_unreliable=(-D "${rate_time%s}" -f 0)
# Only reads and atomics have a limit, and only their programs the option.
declare -A peer_of=(
    [ib_read_lat]="-o $outstanding"
    [ib_write_lat]=''
    [ib_atomic_lat]="-o $outstanding -A FETCH_AND_ADD"
    [ib_read_bw]="-o $outstanding"
    [ib_write_bw]=''
    [ib_send_lat]='-I 0'
    # As many receive requests as ours keeps posted.
    [ib_send_bw]="-I 0 -r $((2 * depth))"
)
