# What ci/lab boots, from nixpkgs instead of the host's distribution: a kernel with rdma_rxe,
# a root, an initramfs. `nix run .#lab` hands the recipe to ci/lab by ONESIDED_LAB_RECIPE.
{
  lib,
  pkgs,
  onesided,
}:
let
  kernel = pkgs.linuxPackages.kernel;
  # Where current nixpkgs keeps modules; older ones have them beside the image.
  modules = kernel.modules or kernel;
  tools = pkgs.buildEnv {
    name = "onesided-lab-tools";
    paths = [
      pkgs.bashInteractive
      pkgs.coreutils
      pkgs.findutils
      pkgs.gawk
      pkgs.gnugrep
      pkgs.gnused
      pkgs.iproute2
      pkgs.kmod
      pkgs.numactl
      pkgs.procps
      pkgs.rdma-core
      pkgs.util-linux
      onesided
    ];
    pathsToLink = [
      "/bin"
      "/sbin"
    ];
  };
  closure = pkgs.closureInfo { rootPaths = [ tools ]; };
  busybox = "${pkgs.pkgsStatic.busybox}/bin/busybox";
in
rec {
  lab-kernel = kernel;

  # A tree that ci/lab.d/initramfs-init switches to. It holds its own closure, because the
  # machine that boots it sees no other store.
  lab-root = pkgs.runCommand "onesided-lab-root" { } ''
    mkdir -p $out/{nix/store,bin,sbin,usr/bin,etc,lib,lab,out,proc,sys,dev,tmp,run,root,var/tmp}
    xargs cp -a -t $out/nix/store < ${closure}/store-paths
    ln -s ${tools}/bin/* $out/bin/
    # What scripts begin with.
    ln -s ${pkgs.coreutils}/bin/env $out/usr/bin/env
    if [ -d ${tools}/sbin ]; then ln -sf ${tools}/sbin/* $out/sbin/; fi
    cp ${busybox} $out/bin/busybox
    if [ ! -e $out/bin/hostname ]; then ln -s busybox $out/bin/hostname; fi
    echo 'root:x:0:0:root:/root:/bin/bash' > $out/etc/passwd
    cp -a ${modules}/lib/modules $out/lib/
  '';

  lab-recipe =
    pkgs.runCommand "onesided-lab-recipe"
      {
        nativeBuildInputs = [
          pkgs.kmod
          pkgs.xz
          pkgs.zstd
          pkgs.gzip
          pkgs.gawk
        ];
      }
      ''
        mkdir $out
        ln -s ${lab-root} $out/root
        # A kernel says its file's name in newer nixpkgs, the platform in older ones.
        cp ${kernel}/${kernel.target or pkgs.stdenv.hostPlatform.linux-kernel.target} $out/kernel
        ls ${lab-root}/lib/modules > $out/kernel-release
        lab_fault() { echo "lab: $1" >&2; }
        . ${../ci/lab.d/initramfs.bash}
        lab_build_initramfs ${../ci/lab.d/initramfs-init} $out $NIX_BUILD_TOP/log ||
          { cat $NIX_BUILD_TOP/log >&2; exit 1; }
      '';
}
