# shellcheck shell=bash disable=SC2154 # attempt.bash sets
# Nodes of the emulated fabric, each with its memory on the NUMA node that was asked for.

# column NAME: what the rows in $stdout have there, where they have anything.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } $at != "" { print $at }' \
        <<<"$stdout"
}

# by_fabric NAME NODES WORD...: an experiment, whose rows say NODES.
by_fabric() {
    local name=$1 nodes=$2
    attempt 120 "$onesided" fabric "${@:3}" --csv --replicates 1
    ended "$name" 0
    check "$name: memory is where it was asked for" test "$(column memory_nodes | sort -u)" = "$nodes"
}

# A hop of 200 us, far above what an emulated machine takes: to itself twice that, and as many times longer as
# the other node is away. $1 are CPUs, $2 is the last node.
distances_delay() {
    local tenths name='a hop takes longer to a NUMA node that is further away'
    read -ra tenths </sys/devices/system/node/node0/distance
    attempt 120 "$onesided" fabric reads --csv --replicates 1 --sides single --duration 100ms --cpus "$1" \
        --memory-nodes "0,$2" --hop-delay 200us --hop-by-distance
    ended "$name" 0
    check "$name: by as much as firmware says" \
        awk -v found="$(column latency_ns | sort -g | head -n 1)" -v tenths="${tenths[$2]}" \
            'BEGIN { least = 2 * 200000 * tenths / 10; exit !(found >= 0.95 * least && found < 20 * least) }'
}

fabric_memory() {
    local folder cpus='' last nodes=()
    for folder in /sys/devices/system/node/node[0-9]*; do
        nodes+=("${folder##*node}")
        # The first CPU of each.
        cpus+=,$(sed 's/[-,].*//' "$folder/cpulist")
    done
    last=${nodes[-1]}
    by_fabric 'PageRank by a node on each NUMA node' "${nodes[*]}" \
        pagerank --nodes "${#nodes[@]}" --cpus "${cpus#,}" --scale 6 --supersteps 3
    by_fabric 'reads from memory of the other NUMA node' "$last 0" \
        reads --sides single --duration 5ms --cpus "${cpus#,}" --memory-nodes "$last,0" --buffer-bytes 1MiB
    by_fabric 'messages in memory of one NUMA node' "$last $last" \
        messages --threads 2 --duration 2ms --cpus "${cpus#,}" --memory-nodes "$last"
    distances_delay "${cpus#,}" "$last"
    attempt 30 "$onesided" fabric reads --memory-nodes 0,9
    ended 'memory of a NUMA node that is not there is refused' 2 '--memory-nodes 9 is not there'
}
