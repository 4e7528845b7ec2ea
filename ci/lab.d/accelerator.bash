# shellcheck shell=bash disable=SC2034 # other files of ci/lab read what is set here
# KVM or software emulation. /dev/kvm may exist and still not boot a stock
# kernel (nested virtualisation), so the lab boots one before it trusts it.

# A kernel under working KVM is in its initramfs within two seconds.
LAB_PROBE_SECONDS=20
# What initramfs-init says when it was only probed for.
LAB_PROBE_SIGN="lab: probe reached user space"

# Sets LAB_ACCEL to kvm or tcg and LAB_ACCEL_REASON; fails when kvm was asked
# for and does not work.
lab_choose_accelerator() {
    local asked=$1 cache=$2
    if [[ $asked == tcg ]]; then
        LAB_ACCEL=tcg LAB_ACCEL_REASON="asked for"
        return 0
    fi
    if lab_kvm_works "$cache"; then
        LAB_ACCEL=kvm
        return 0
    fi
    if [[ $asked == kvm ]]; then
        lab_fault "KVM is not usable here: $LAB_ACCEL_REASON"
        return 1
    fi
    LAB_ACCEL=tcg
}

# The verdict is kept for as long as the host is up: a reboot may change it.
lab_kvm_works() {
    local cache=$1 verdict_file verdict key
    if [[ ! -e /dev/kvm ]]; then
        LAB_ACCEL_REASON="this host has no /dev/kvm"
        return 1
    fi
    if [[ ! -r /dev/kvm || ! -w /dev/kvm ]]; then
        LAB_ACCEL_REASON="no permission to use /dev/kvm"
        return 1
    fi
    verdict_file=$cache/kvm-verdict
    key="$(</proc/sys/kernel/random/boot_id) $(basename "$LAB_RECIPE")"
    if [[ ! -f $verdict_file || $(head -n 1 "$verdict_file") != "$key" ]]; then
        lab_say "probing KVM: booting a kernel, at most $LAB_PROBE_SECONDS s"
        verdict=$(lab_probe_kvm)
        printf '%s\n%s\n' "$key" "$verdict" >"$verdict_file.$$"
        mv "$verdict_file.$$" "$verdict_file"
    fi
    verdict=$(sed -n 2p "$verdict_file")
    LAB_ACCEL_REASON=${verdict#* }
    [[ ${verdict%% *} == works ]]
}

# Prints "works <how>" or "fails <why>".
lab_probe_kvm() {
    local console status
    console=$(lab_probe_boot "$LAB_RECIPE/kernel" "$LAB_RECIPE/initrd" kvm host "$LAB_PROBE_SECONDS" 2>&1)
    status=$?
    if [[ $console == *"$LAB_PROBE_SIGN"* ]]; then
        echo "works a probe boot reached user space"
    elif [[ $status -eq 124 || $status -eq 137 ]]; then
        echo "fails /dev/kvm is there, but a probe boot did not reach user space in $LAB_PROBE_SECONDS s"
    else
        echo "fails /dev/kvm is there, but QEMU ended with $status: $(tr -d '\r' <<<"$console" | tail -n 1)"
    fi
}

# Boots kernel $1 with initramfs $2, accelerator $3 and CPU model $4 for at most
# $5 s; prints its console.
lab_probe_boot() {
    timeout --kill-after=2 "$5" qemu-system-x86_64 -M q35 -accel "$3" -cpu "$4" \
        -smp 2 -m 512M -nodefaults -no-user-config -display none -no-reboot -serial stdio \
        -device isa-debug-exit,iobase=0xf4,iosize=0x04 -kernel "$1" -initrd "$2" \
        -append "console=ttyS0 quiet panic=-1 lab.probe" </dev/null
}
