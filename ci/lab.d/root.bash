# shellcheck shell=bash
# The root of the recipe: debootstrap of the host's own suite, so that a binary
# linked on the host finds the same libraries in the guest.

# What the guest needs beyond a minimal system. busybox-static runs the
# initramfs; procps and iproute2 (ip, tc, rdma) are there to inject faults.
# perftest brings librdmacm, whose package is not named alike everywhere.
LAB_ROOT_PACKAGES=(
    busybox-static kmod procps iproute2 iputils-ping numactl libnuma1
    rdma-core libibverbs1 ibverbs-providers ibverbs-utils perftest
)

# With --with containers: an engine that runs images of the host, apparmor to deny it things,
# and what lets a user without privileges run them.
LAB_CONTAINERS_PACKAGES=(
    podman crun conmon podman-compose python3-dotenv apparmor uidmap fuse-overlayfs slirp4netns
    containernetworking-plugins iptables util-linux
)

# What the asked-for machine has, joined by commas.
lab_root_packages() {
    local packages=("${LAB_ROOT_PACKAGES[@]}")
    if [[ ${LAB_WITH:-} == containers ]]; then packages+=("${LAB_CONTAINERS_PACKAGES[@]}"); fi
    (IFS=,; echo "${packages[*]}")
}

# "<distribution> <suite>" of the host, as in "debian bookworm".
lab_host_suite() {
    (
        # shellcheck disable=SC1091
        . /etc/os-release
        printf '%s %s\n' "${ID:?}" "${VERSION_CODENAME:?os-release names no suite}"
    )
}

# A minimal root of the host's suite, from the archive the host's apt uses.
lab_build_root() {
    local root=$1 log=$2 distribution suite site components include proxy=
    read -r distribution suite < <(lab_host_suite)
    read -r site components < <(lab_archive "$suite")
    if [[ -z ${site:-} ]]; then
        lab_fault "apt knows no archive for $distribution $suite: run apt-get update"
        return 1
    fi
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    include=$(lab_root_packages)
    lab_say "building a root of $distribution $suite"
    # rdma-core and perftest are in Ubuntu's universe: hence all components.
    "${LAB_AS_ROOT[@]}" env ${proxy:+http_proxy="$proxy"} PATH="$PATH:/usr/sbin:/sbin" \
        debootstrap --variant=minbase --components="$components" --include="$include" \
        "$suite" "$root" "$site" >>"$log" 2>&1 || return 1
    "${LAB_AS_ROOT[@]}" rm -rf "$root"/var/cache/apt/archives "$root"/var/lib/apt/lists \
        "$root"/usr/share/doc "$root"/usr/share/locale
    # QEMU serves it as the user who boots it, who may not be root.
    "${LAB_AS_ROOT[@]}" chmod -R a+rX "$root"
}

# "<address> <component,component>" of the archive that holds $suite.
lab_archive() {
    # The $(NAMES) are apt's, not the shell's.
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' \
        | awk -v suite="$1" '
            $2 == suite && (site == "" || $1 == site) {
                site = $1; list = list (list == "" ? "" : ",") $3
            }
            END { if (site != "") print site, list }'
}
