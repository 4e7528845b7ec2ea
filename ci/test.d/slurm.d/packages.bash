# shellcheck shell=bash
# What the lab's machines lack for Slurm: the distribution's packages, downloaded and unpacked, not
# installed, beside the lab's root. A machine lays it over its own root.
#
#   <cache>/slurm-<hash>/usr  etc

slurm_wanted=(slurm-wlm munge)

# Names and versions of those packages and of what they need, as far as the lab's root lacks it.
slurm_packages() {
    local root=$1
    apt-get install --no-install-recommends --print-uris --quiet=2 \
        --option Dir::State::status="$root/var/lib/dpkg/status" "${slurm_wanted[@]}" |
        awk '$1 ~ /^\047/ { sub("_[^_]*$", "", $2); sub("_", "=", $2); sub("%3a", ":", $2); print $2 }'
}

# slurm_prepare CACHE ROOT: prints the folder; fails with the reason on stderr.
slurm_prepare() {
    local cache=$1 root=$2 packages hash folder building
    packages=$(slurm_packages "$root")
    if [[ -z $packages ]]; then
        echo "apt knows no packages ${slurm_wanted[*]}: run apt-get update" >&2
        return 1
    fi
    hash=$(sha256sum <<<"$packages" | cut -c1-12)
    folder=$cache/slurm-$hash
    if [[ ! -d $folder ]]; then
        building=$(mktemp -d "$folder.building.XXXXXX") || return
        if ! slurm_unpack "$building" "$packages" >"$building/log" 2>&1; then
            tail -n 3 "$building/log" >&2
            rm -rf "$building"
            return 1
        fi
        rm -rf "$building"/{packages,log,usr/share/{doc,man,info,lintian}}
        chmod 755 "$building"
        # Another one may have been quicker.
        mv --no-target-directory "$building" "$folder" 2>/dev/null || rm -rf "$building"
    fi
    echo "$folder"
}

slurm_unpack() {
    local into=$1 packages package daemon
    mapfile -t packages <<<"$2"
    mkdir "$into/packages"
    (cd "$into/packages" && apt-get download --option APT::Sandbox::User=root "${packages[@]}") || return
    for package in "$into"/packages/*.deb; do dpkg-deb --extract "$package" "$into" || return; done
    # The lab's root has /lib within /usr.
    if [[ -d $into/lib ]]; then cp -r "$into/lib/." "$into/usr/lib" && rm -rf "${into:?}/lib"; fi
    # What the packages' scripts would have done.
    for daemon in "$into"/usr/sbin/*-wlm; do ln -s "${daemon##*/}" "${daemon%-wlm}" || return; done
    [[ -x $into/usr/sbin/slurmd && -x $into/usr/sbin/munged ]]
}
