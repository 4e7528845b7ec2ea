# shellcheck shell=bash disable=SC2034,SC2154 # ci/nix/pinned-tools sets and reads
# A root of a newer Debian with what `packages` lists, and commands in it. apt chooses and fetches with a
# state of its own, and dpkg-deb unpacks: nothing is installed on this host, and nobody has to be root.
#
# environment: ONESIDED_PINNED_SUITE     the suite [forky]
#              ONESIDED_DEBIAN_ARCHIVE  address of the archive [the one of this host's apt, on Debian]

pinned_suite=${ONESIDED_PINNED_SUITE:-forky}

# Sets `debian` to the root's folder, and makes it; or sets `lacking` to why it cannot be had.
make_debian() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg packages making site
    debian=$cache/pinned-debian-$(cat ci/nix/pinned-tools.d/{packages,debian.bash} - <<<"$pinned_suite" | sha256sum | head -c 12)
    as_root=()
    if [[ $EUID -ne 0 ]]; then as_root=(--map-root-user); fi
    if ! unshare --mount --net "${as_root[@]}" true 2>/dev/null; then
        lacking='this host refuses namespaces'
        return 1
    fi
    [[ ! -d $debian ]] || return 0
    if ! site=$(debian_archive); then
        lacking="apt knows no archive of Debian here, and ONESIDED_DEBIAN_ARCHIVE is not set"
        return 1
    elif [[ ! -e $keyring ]]; then
        lacking="there is no $keyring, of the package debian-archive-keyring"
        return 1
    fi
    making=$debian.making
    rm -rf "$making"
    mkdir -p "$making"/{root/onesided,apt/{lists/partial,cache/archives/partial,state}}
    : >"$making/apt/status"
    echo "deb [signed-by=$keyring] $site $pinned_suite main" >"$making/apt/sources.list"
    apt_settings "$making/apt" >"$making/apt/apt.conf"
    mapfile -t packages < <(sed -E '/^(#|$)/d; s/ .*//' ci/nix/pinned-tools.d/packages)
    if { in_its_apt update && in_its_apt install --yes --download-only "${packages[@]}" && unpack "$making/root"; } >"$making/log" 2>&1; then
        rm -rf "$making/apt"
        mv "$making/root" "$debian" && rm -rf "$making"
    else
        lacking="$pinned_suite of Debian could not be had: $(grep -m 1 '^E: ' "$making/log" || tail -n 1 "$making/log")"
        return 1
    fi
}

in_its_apt() { APT_CONFIG=$making/apt/apt.conf apt-get -qq "$@"; }

# The archive of this host, where that is Debian's.
debian_archive() {
    local distribution suite site
    if [[ -n ${ONESIDED_DEBIAN_ARCHIVE:-} ]]; then
        echo "$ONESIDED_DEBIAN_ARCHIVE"
        return
    fi
    read -r distribution suite < <(lab_host_suite)
    [[ $distribution == debian ]] || return
    read -r site _ < <(lab_archive "$suite")
    [[ -n ${site:-} ]] && echo "$site"
}

# Nothing of this host's apt but its proxy, and whether an archive may be old.
apt_settings() {
    local proxy='' fresh=''
    eval "$(apt-config shell proxy Acquire::http::Proxy fresh Acquire::Check-Valid-Until)"
    cat <<EOF
Dir::Etc::Parts "/dev/null";
Dir::Etc::Main "/dev/null";
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$1/state";
Dir::State::Lists "$1/lists";
Dir::State::Status "$1/status";
Dir::Cache "$1/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Check-Valid-Until "${fresh:-true}";
${proxy:+Acquire::http::Proxy "$proxy";}
EOF
}

# Unpacks what was fetched into ROOT, and does what the packages' own scripts would and R needs.
unpack() {
    local package
    for package in "$making"/apt/cache/archives/{base-files_,}*.deb; do dpkg-deb --extract "$package" "$1" || return; done
    rm -rf "$1"/usr/share/{doc,man,info,locale,lintian}
    find "$1/usr/lib" -type d '(' -name blas -o -name lapack ')' -printf '/usr/lib/%P\n' >"$1/etc/ld.so.conf.d/alternatives.conf" &&
        ln -s which.debianutils "$1/usr/bin/which" &&
        cp "$1/usr/lib/R/etc/Renviron.ucf" "$1/etc/R/Renviron" &&
        cat >"$1/etc/fonts/dejavu.conf" <<'EOF' &&
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>
EOF
        unshare --mount "${as_root[@]}" chroot "$1" /usr/sbin/ldconfig
}

# within COMMAND...: in the root, which has $place as /onesided, on the copy of the project there, without
# a network. `hide` names a program that is then not there.
within() {
    # shellcheck disable=SC2016 # for the shells inside
    hide=${hide:-} unshare --mount --net "${as_root[@]}" bash -c '
        root=$1 place=$2
        shift 2
        mount --rbind /dev "$root/dev" && mount --rbind /proc "$root/proc" && mount -t tmpfs tmpfs "$root/tmp" &&
            mount --bind "$place" "$root/onesided" || exit
        if [[ -n $hide ]]; then mount --bind /dev/null "$root$hide" || exit; fi
        exec chroot "$root" /usr/bin/env --ignore-environment PATH=/usr/bin HOME=/tmp TZ=UTC LC_ALL=C.UTF-8 \
            FONTCONFIG_FILE=/etc/fonts/dejavu.conf bash -c "cd /onesided/project && exec \"\$@\"" within "$@"
    ' within "$debian" "$place" "$@"
}
