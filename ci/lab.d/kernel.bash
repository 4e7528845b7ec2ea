# shellcheck shell=bash
# The kernel of the recipe: the distribution's own, unpacked and not installed.

# Module trees that no machine of the lab has hardware for: two thirds of the
# bytes of a distribution kernel.
LAB_UNUSED_MODULES=(
    sound drivers/gpu drivers/media drivers/net/wireless drivers/infiniband/hw
    drivers/scsi drivers/staging drivers/iio drivers/usb drivers/hid drivers/hwmon
    drivers/input drivers/bluetooth drivers/mmc drivers/mtd drivers/video
)

# The kernel packages that the distribution's own meta-package leads to. Ubuntu
# keeps rdma_rxe in linux-modules-extra, Debian all in linux-image.
lab_kernel_packages() {
    local meta
    for meta in linux-image-amd64 linux-image-generic; do
        apt-cache depends --recurse --important "$meta" 2>/dev/null
    done | grep -E '^linux-(image|binary|modules|modules-extra)-[0-9]' | sort -u
}

# Downloads and unpacks the kernel: its image beside the root, modules in it.
lab_unpack_kernel() {
    local building=$1 log=$2 packages package release unused tree modules
    tree=$building/unpacked
    mapfile -t packages < <(lab_kernel_packages)
    if [[ ${#packages[@]} -eq 0 ]]; then
        lab_fault "apt knows no linux-image package: run apt-get update"
        return 1
    fi
    lab_say "unpacking ${packages[*]}"
    mkdir "$building/packages" "$tree"
    (cd "$building/packages" && apt-get download -o APT::Sandbox::User=root "${packages[@]}") \
        >>"$log" 2>&1 || return 1
    for package in "$building"/packages/*.deb; do
        dpkg-deb --extract "$package" "$tree" || return 1
    done
    release=$(cd "$tree"/boot && echo vmlinuz-*)
    release=${release#vmlinuz-}
    mv "$tree/boot/vmlinuz-$release" "$building/kernel" || return 1
    chmod 644 "$building/kernel"
    for unused in "${LAB_UNUSED_MODULES[@]}"; do
        rm -rf "$tree"/{,usr/}lib/modules/"$release"/kernel/"$unused"
    done
    "${LAB_AS_ROOT[@]}" mkdir -p "$building/root/lib/modules"
    # In lib or usr/lib of the package, as the release of the distribution has it.
    modules=$(find "$tree" -path "*/lib/modules/$release" -print -quit)
    "${LAB_AS_ROOT[@]}" cp -r "$modules" "$building/root/lib/modules/" 2>>"$log" || return 1
    "${LAB_AS_ROOT[@]}" env PATH="$PATH:/usr/sbin:/sbin" depmod -b "$building/root" "$release" >>"$log" 2>&1 || return 1
    rm -rf "$tree" "$building/packages"
    echo "$release" >"$building/kernel-release"
}

# Replaces the compressed image by the ELF file within, when that boots (PVH):
# emulated CPUs spend three seconds of every boot on unpacking it.
lab_choose_kernel() {
    local building=$1 log=$2 plain=$1/kernel.plain console
    if lab_plain_kernel "$building/kernel" >"$plain" 2>>"$log" && [[ -s $plain ]]; then
        console=$(lab_probe_boot "$plain" "$building/initrd" tcg max 60 2>>"$log")
        if [[ $console == *"$LAB_PROBE_SIGN"* ]]; then
            mv "$plain" "$building/kernel"
            return
        fi
    fi
    rm -f "$plain"
    lab_say "kernel $(<"$building/kernel-release") boots as it is packed only"
}

# The payload of a bzImage, decompressed. Where it lies: Linux x86 boot protocol,
# fields setup_sects (0x1f1), payload_offset (0x248), payload_length (0x24c).
lab_plain_kernel() {
    local image=$1 sectors offset length start
    sectors=$(od -An -tu1 -j "$((0x1f1))" -N 1 "$image")
    offset=$(od -An -tu4 -j "$((0x248))" -N 4 "$image")
    length=$(od -An -tu4 -j "$((0x24c))" -N 4 "$image")
    start=$(((sectors + 1) * 512 + offset))
    # The last four bytes are the size of what was compressed.
    head -c "$((start + length - 4))" "$image" | tail -c "$((length - 4))" | lab_decompress
}

# Decompresses what distributions compress a kernel with, told by its first bytes.
lab_decompress() {
    local magic file status
    file=$(mktemp) || return 1
    cat >"$file"
    magic=$(od -An -tx1 -N 4 "$file" | tr -d ' ')
    case $magic in
        fd377a58) xz --decompress --stdout --single-stream <"$file" ;;
        28b52ffd) zstd --decompress --stdout --quiet <"$file" ;;
        1f8b*) gzip --decompress --stdout <"$file" ;;
        02214c18) lz4 --decompress --stdout --quiet <"$file" ;;
        *) echo "unknown compression $magic" >&2; false ;;
    esac
    status=$?
    rm -f "$file"
    return "$status"
}
