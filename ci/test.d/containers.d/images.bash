# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The images themselves, with the program that all stages share: built, small, clean. Their base is of
# this host's distribution, as the program is: it asks for libraries of this host's age.

test_images() {
    built harness || return 0
    choose_engine || return 0
    common "$harness"
    check "$harness: without its program at most 20 MB" rest_is_small
    check "$harness: no perl, package manager or tools of an administrator" minimal "$harness"
    check "$harness: says which packages it holds" in_image shell "$harness" \
        'cd /var/lib/dpkg/status.d && grep -q "^Version: " libibverbs1 && grep -q "^Version: " libgmp10'
}

# built IMAGE...: prints a line each: name, id, size.
built() {
    local began=$EPOCHREALTIME
    find_program
    if ! containers/build --engine buildah --base-from-packages --program "$onesided" "$@" \
        >"$out/built" 2>"$out/build.log"; then
        fail "the images build: $*" "$(tail -n 20 "$out/build.log")"
        return 1
    fi
    pass "the images build: $*"
    echo "   $(((${EPOCHREALTIME/./} - ${began/./}) / 1000000)) s"
    sed 's/^/   /' "$out/built"
}

# label IMAGE LABEL
label() { in_image inspect "$1" "{{index .Config.Labels \"org.opencontainers.image.$2\"}}"; }

# within_bytes IMAGE LIMIT [BYTES]: without BYTES of it that do not count.
within_bytes() {
    local bytes
    bytes=$(in_image bytes "$1")
    echo "$1 has $bytes bytes, ${3:-0} of which do not count"
    [[ $bytes =~ ^[0-9]+$ && $((bytes - ${3:-0})) -le $2 ]]
}

# What is not the program: that one has another size than a released one.
rest_is_small() {
    within_bytes "$harness" 20000000 "$(in_image shell "$harness" 'stat -c %s /usr/local/bin/onesided')"
}

# What builds or installs software, or is kept by it.
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

# as_root IMAGE COMMAND: for what its own user may not see.
as_root() { run_container --network none --user 0:0 --entrypoint /bin/sh "$1" -c "$2"; }

# unprivileged IMAGE: no file or folder in it gives another user's or group's rights.
unprivileged() {
    local found
    found=$(as_root "$1" 'find / -xdev ! -type l -perm /6000' 2>&1)
    echo "setuid or setgid: $found"
    [[ -z $found ]]
}

# What Debian calls essential, and the program does not need.
not_needed() {
    local name
    for name in perl apt apt-get dpkg debconf python3 bash su passwd mount; do command -v $name; done
    find / -xdev \( -name '*perl*' -o -name 'apt*' -o -name 'libapt*' -o -name 'dpkg-*' -o -name shadow \)
}

# minimal IMAGE: nothing of that is in it.
minimal() {
    local found
    found=$(as_root "$1" "$(declare -f not_needed); not_needed" 2>&1)
    echo "not needed: $found"
    [[ -z $found ]]
}

# is_of_revision IMAGE REVISION: its program is, not its label alone.
is_of_revision() {
    in_image shell "$1" "grep -q 'onesided was built from: $2' /usr/local/bin/onesided" &&
        [[ $(label "$1" revision) == "$2" ]]
}

common() {
    local image=$1
    check "$image: its user is not root" test "$(in_image shell "$image" 'id -u; id -g')" = $'1000\n1000'
    check "$image: no build tools, packages' caches or logs" clean "$image"
    check "$image: no setuid or setgid file" unprivileged "$image"
    check "$image: says what it was built from" test "$(label "$image" revision)" = "$ONESIDED_REVISION"
    check "$image: says its version" test "$(label "$image" version)" = "$(sed -n 's/^version = "\(.*\)"/\1/p' harness/Cargo.toml)"
    check "$image: says its licence" test "$(label "$image" licenses)" = MIT
    check "$image: the program runs" in_image shell "$image" "onesided --version"
    check "$image: the program is of this commit" is_of_revision "$image" "$ONESIDED_REVISION"
}
