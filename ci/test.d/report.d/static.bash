# shellcheck shell=bash disable=SC2154 # ci/test.d/report sets
# The program that needs no library: what a release brings to readers who have no compiler.
#
# What passing lets us claim: it is one file that runs without any other; readers, verdicts and the report
# come out as with the program that is built here; it measures over the emulation back end, and refuses
# what would load a library of another C library's version.

without_libraries() {
    local scratch static=$PWD/harness/target/static/onesided
    check 'the program without libraries builds' timed compiling 'the program without libraries' ci/build --static
    scratch=$(mktemp -d)
    check 'alone in a folder that is its root it gives the verdicts of this host' alone "$scratch/root"
    check 'it loads no libibverbs, and says so' loads_nothing
    check 'its names of hosts are numbers' looks_up_nothing
    check 'two processes of it measure over the emulation back end' measures "$scratch"
    check 'that ONESIDED_PROGRAM is no program is told before anything is installed' no_program "$scratch/data"
    check 'with it ci/reproduce --figures-only makes in a clone what is made here' reproduces "$scratch/clone"
    rm -rf "$scratch"
}

# Where there is no other file: no loader, no library, no /etc, no /proc.
alone() {
    local root=$1 enter=(chroot)
    mkdir -p "$root/data" "$root/paper" "$root/results" && cp "$static" "$root/onesided" || return
    cp -r data/published "$root/data/" && cp paper/claims.toml "$root/paper/" || return
    [[ $(id -u) -eq 0 ]] || enter=(unshare --map-root-user chroot)
    "${enter[@]}" "$root" /onesided check data/published || return
    "${enter[@]}" "$root" /onesided claims --out results/claims.csv || return
    "$onesided" claims --out "$root/here.csv" && cmp "$root/here.csv" "$root/results/claims.csv"
}

loads_nothing() {
    local said status
    said=$("$static" topology) || return
    echo "$said"
    grep -q 'RDMA devices: not known: this program is linked statically and loads no library' <<<"$said" || return
    said=$("$static" serve --listen 127.0.0.1:0 2>&1)
    status=$?
    echo "$said"
    [[ $status -eq 2 ]] && grep -q 'it measures over no RDMA device; build one that does with ci/build' <<<"$said"
}

looks_up_nothing() {
    local said status
    said=$("$static" run --back-end rmc --server example.invalid:18515 --out "$scratch/none" 2>&1)
    status=$?
    echo "$said"
    [[ $status -eq 2 ]] && grep -q 'looks up no name: write HOST:PORT with a number' <<<"$said"
}

measures() {
    local place=$1 server status token=$1/token address tries
    "$static" serve --back-end rmc --listen localhost:0 --token-file "$token" --clients 1 >"$place/served" 2>&1 &
    server=$!
    for ((tries = 0; tries < 100; tries++)); do
        address=$(grep -oE '(127\.0\.0\.1|\[::1\]):[0-9]+' "$place/served" | head -n 1)
        [[ -z $address ]] || break
        sleep 0.1
    done
    "$static" run --back-end rmc --server "$address" --token-file "$token" --operation read --out "$place/raw"
    status=$?
    kill "$server" 2>/dev/null
    wait "$server"
    cat "$place/served"
    # 1: a doubt of a busy machine.
    [[ $status -le 1 ]] && "$static" collect --raw "$place/raw" --out "$place/tables"
}

no_program() {
    local said status
    echo text >"$1"
    said=$(ONESIDED_PROGRAM=$1 ci/reproduce --figures-only 2>&1)
    status=$?
    echo "$said"
    [[ $status -eq 2 ]] && grep -q "does not run here" <<<"$said" && grep -q "chmod +x $1" <<<"$said"
}

# The program of a release has the revision of its commit: the clone is of HEAD, with what is not committed left out.
reproduces() {
    local clone=$1 environment
    environment=$(ci/workflow --environment)
    git clone --quiet --no-hardlinks . "$clone" || return
    # As somebody has who fetched the program: the path is of the caller's folder.
    (cd "$(dirname "$static")" && ONESIDED_PROGRAM=./onesided ONESIDED_WORKFLOW_ENVIRONMENT=$environment \
        bash "$clone/ci/reproduce" --figures-only) || return
    [[ ! -e $clone/harness/target ]] || { echo 'something was built'; return 1; }
    cmp results/claims.csv "$clone/results/claims.csv" && cmp results/claim-cells.csv.gz "$clone/results/claim-cells.csv.gz" &&
        diff -rq results/figures/published "$clone/results/figures/published"
}
