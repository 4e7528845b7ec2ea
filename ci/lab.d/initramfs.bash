# shellcheck shell=bash
# The initramfs: a static busybox, modules and initramfs-init. Stored
# uncompressed: emulated CPUs would spend longer on unpacking it than QEMU
# spends on copying it.

# What reaches the root over 9p; and what every job needs anyway, because an
# emulated CPU inserts it from memory in half the time of modprobe in the root.
LAB_INITRAMFS_MODULES=(virtio_pci 9pnet_virtio 9p overlay virtio_net rdma_rxe ib_uverbs rdma_ucm)

# The applets that initramfs-init calls.
LAB_INITRAMFS_APPLETS=(sh mount mkdir ln insmod switch_root grep dd sleep)

# Writes $building/initrd from $building/root.
lab_build_initramfs() {
    local init=$1 building=$2 log=$3 release tree order=0 module source applet
    release=$(<"$building/kernel-release")
    tree=$building/initramfs
    mkdir -p "$tree"/{bin,modules,proc,sys,dev,lower,upper,newroot}
    cp "$building/root/bin/busybox" "$tree/bin/busybox"
    for applet in "${LAB_INITRAMFS_APPLETS[@]}"; do ln -s busybox "$tree/bin/$applet"; done
    cp "$init" "$tree/init"
    chmod 755 "$tree/init" "$tree/bin/busybox"
    while read -r source; do
        # Numbered, so that a glob inserts them in the order of dependency.
        module=$(printf '%s/modules/%02d-%s' "$tree" "$order" "$(basename "${source%.ko*}").ko")
        lab_plain_module "$source" >"$module" || return 1
        order=$((order + 1))
    done < <(lab_modules_in_order "$building/root" "$release")
    if [[ $order -eq 0 ]]; then
        lab_fault "kernel $release has none of the modules ${LAB_INITRAMFS_MODULES[*]}"
        return 1
    fi
    (cd "$tree" && find . | "$building/root/bin/busybox" cpio -o -H newc) \
        >"$building/initrd" 2>>"$log" || return 1
    rm -rf "$tree"
}

# Paths of the wanted modules and of all they need, each once, needs first;
# what is built into the kernel is left out.
lab_modules_in_order() {
    local root=$1 release=$2 module
    for module in "${LAB_INITRAMFS_MODULES[@]}"; do
        PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "$release" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# The module without the compression that busybox's insmod does not undo.
lab_plain_module() {
    case $1 in
        *.ko.xz) xz --decompress --stdout "$1" ;;
        *.ko.zst) zstd --decompress --quiet --stdout "$1" ;;
        *.ko.gz) gzip --decompress --stdout "$1" ;;
        *) cat "$1" ;;
    esac
}
