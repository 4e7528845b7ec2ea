# shellcheck shell=bash
# Prepares what the lab boots, once, and keeps it:
#
#   <cache>/lab-<hash>/kernel  initrd  kernel-release  root/
#
# The hash covers the recipe (root, kernel, initramfs), the suite of the host
# and what --with adds to the root. Everything is built under a temporary name and renamed at the end: an
# interrupted build is never taken for a finished one.

# The directory of the finished recipe; prints a path, builds nothing.
lab_recipe_directory() {
    local here=$1 cache=$2 hash
    hash=$({
        cat "$here"/root.bash "$here"/kernel.bash "$here"/initramfs.bash "$here"/initramfs-init
        lab_host_suite
        lab_root_packages
    } | sha256sum | cut -c1-12)
    printf '%s/lab-%s\n' "$cache" "$hash"
}

# Whether a recipe that somebody else made (nix/lab.nix) is whole.
lab_check_recipe() {
    local part
    for part in kernel initrd kernel-release root; do
        if [[ ! -e $1/$part ]]; then
            lab_fault "ONESIDED_LAB_RECIPE=$1 has no $part (ci/lab.d/prepare.bash says what a recipe is)"
            return 1
        fi
    done
}

# Builds the recipe unless it is there. Callers that come together build once:
# the others wait for the first. Returns non-zero with the reason on stderr.
lab_prepare() {
    local here=$1 cache=$2 directory building tool
    directory=$(lab_recipe_directory "$here" "$cache") || return 1
    if [[ -d $directory ]]; then
        return 0
    fi
    if [[ $(uname -m) != x86_64 ]]; then
        lab_fault "the lab boots x86_64 machines only, this host is $(uname -m)"
        return 1
    fi
    for tool in debootstrap depmod apt-get dpkg-deb; do
        if ! PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null; then
            lab_fault "$tool is missing: run ci/install lab (Debian or Ubuntu)"
            return 1
        fi
    done
    mkdir -p "$cache"
    (
        if ! flock --nonblock 9; then
            lab_say "waiting for another ci/lab that prepares"
            flock 9
        fi
        [[ -d $directory ]] && exit 0
        building=$(mktemp -d "$directory.building.XXXXXX") || exit 1
        # The lock is held by one builder: every other such name is a leftover.
        find "$cache" -maxdepth 1 -name 'lab-*.building.*' ! -path "$building" \
            -exec "${LAB_AS_ROOT[@]}" rm -rf --one-file-system {} +
        trap '"${LAB_AS_ROOT[@]}" rm -rf --one-file-system "$building"' EXIT
        trap 'exit 143' INT TERM
        chmod 755 "$building"
        lab_build "$here" "$building" || exit 1
        mv "$building" "$directory" || exit 1
        lab_say "prepared in $SECONDS s"
    ) 9>"$cache/lab.lock"
}

# Everything, in order, into $building.
lab_build() {
    local here=$1 building=$2 log
    log=$building/build.log
    if ! lab_build_root "$building/root" "$log" \
        || ! lab_unpack_kernel "$building" "$log" \
        || ! lab_build_initramfs "$here/initramfs-init" "$building" "$log" \
        || ! lab_choose_kernel "$building" "$log"; then
        lab_fault "building the lab failed; the end of its log:"
        tail -n 20 "$log" >&2
        return 1
    fi
}
