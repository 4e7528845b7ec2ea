# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The images themselves: built, small, clean, and the same when they are built again.

test_images() {
    choose_base
    built harness analysis || return 0
    choose_engine
    of_harness
    of_analysis
    built_again
}

# The pinned base, where it can be had.
choose_base() {
    local pinned
    pinned=$(sed -n 's/^ARG BASE=//p' containers/Containerfile)
    from=()
    if ! timeout 60 buildah pull --quiet "$pinned" >"$out/pull.log" 2>&1; then
        skip 'the images are built from the pinned base' "it cannot be pulled ($(tail -n 1 "$out/pull.log" | cut -c1-120))"
        from=(--base-from-packages)
    fi
}

# built IMAGE...: leaves a line each in $out/built: name, id, size.
built() {
    local began=$SECONDS
    if ! containers/build --engine buildah "${from[@]}" "$@" >"$out/built" 2>"$out/build.log"; then
        fail "the images build: $*" "$(tail -n 20 "$out/build.log")"
        return 1
    fi
    pass "the images build: $*"
    echo "   $((SECONDS - began)) s"
    sed 's/^/   /' "$out/built"
}

id_of() { awk -v name="$1" '$1 == name { print $2 }' "$out/built"; }

# label IMAGE LABEL
label() { in_image inspect "$1" "{{index .Config.Labels \"org.opencontainers.image.$2\"}}"; }

# within_bytes IMAGE LIMIT
within_bytes() {
    local bytes
    bytes=$(in_image bytes "$1")
    echo "$1 has $bytes bytes"
    [[ $bytes -le $2 ]]
}

# What builds or installs software, or is kept by it; perl-base is essential to Debian.
left_over() {
    local name
    for name in gcc cc ld as make cargo rustc pip pip3 curl wget git; do command -v $name; done
    find /var/cache /var/lib/apt/lists /var/log /usr/share/doc /usr/share/man \
        -type f 2>/dev/null
}

# clean IMAGE: nothing of that is in it.
clean() {
    local found
    found=$(in_image shell "$1" "$(declare -f left_over); left_over" 2>&1)
    echo "left over: $found"
    [[ -z $found ]]
}

common() {
    local image=$1
    check "$image: its user is not root" test "$(in_image shell "$image" 'id -u; id -g')" = $'1000\n1000'
    check "$image: no build tools, packages' caches or logs" clean "$image"
    check "$image: says what it was built from" test "$(label "$image" revision)" = "$ONESIDED_REVISION"
    check "$image: says its version" test "$(label "$image" version)" = "$(sed -n 's/^version = "\(.*\)"/\1/p' harness/Cargo.toml)"
    check "$image: says its licence" test "$(label "$image" licenses)" = MIT
}

of_harness() {
    common "$harness"
    check "$harness: at most 120 MB" within_bytes "$harness" 120000000
    check "$harness: the program runs" in_image run "$harness" --version
    check "$harness: the program is of this commit" \
        in_image shell "$harness" "grep -q $ONESIDED_REVISION /usr/local/bin/onesided"
}

of_analysis() {
    common "$analysis"
    echo "   $analysis has $(in_image bytes "$analysis") bytes"
}

# All steps but the program's: their packages come anew, the clock is pinned.
built_again() {
    local first
    first=$(id_of "$harness")
    if built_into "$out/again" harness; then
        check "$harness: built again it has the same id" test "$first" = "$(awk '{ print $2 }' "$out/again")"
    fi
}

built_into() {
    containers/build --engine buildah --again --tag again "${from[@]}" "$2" >"$1" 2>"$out/build.log" ||
        { fail "the image builds again: $2" "$(tail -n 20 "$out/build.log")"; return 1; }
}
