# Packages whose bin/ links to programs of this host, and whose build fails with the name of a
# program that the host lacks.
{
  lib,
  host,
  stdenv,
}:
let
  hostPackage =
    {
      pname,
      programs ? [ ],
      # Started where they are, because they look for their files beside themselves.
      inPlace ? false,
      check ? "",
      meta ? { },
      passthru ? { },
    }:
    stdenv.mkDerivation {
      inherit pname passthru meta;
      version = "of-this-host";
      buildCommand = ''
        mkdir -p $out/bin $out/nix-support
        echo "stand-in over a host's tools, not nixpkgs' ${pname}" > $out/nix-support/stand-in
        for program in ${toString programs}; do
          at=$(type -P "$program") || { echo "this host has no $program (stand-in for ${pname})" >&2; exit 1; }
          ${
            if inPlace then
              ''printf '#!%s\nexec %s "$@"\n' ${host.shell} "$at" > $out/bin/$program; chmod +x $out/bin/$program''
            else
              "ln -s \"$at\" $out/bin/$program"
          }
        done
        ${check}
      '';
    };
  tool =
    pname: programs:
    hostPackage {
      inherit pname programs;
      meta.mainProgram = lib.head programs;
    };
in
{
  inherit hostPackage;
  packages =
    lib.mapAttrs tool {
      bashInteractive = [
        "bash"
        "sh"
      ];
      cargo = [ "cargo" ];
      rustc = [
        "rustc"
        "rustdoc"
      ];
      clippy = [
        "cargo-clippy"
        "clippy-driver"
      ];
      rustfmt = [
        "rustfmt"
        "cargo-fmt"
      ];
      patchelf = [ "patchelf" ];
      qemu = [ "qemu-system-x86_64" ];
      kmod = [
        "modprobe"
        "depmod"
      ];
      iproute2 = [ "ip" ];
      util-linux = [
        "mount"
        "setsid"
        "flock"
      ];
      procps = [ "ps" ];
      coreutils = [
        "basename"
        "cat"
        "chmod"
        "cp"
        "cut"
        "date"
        "dd"
        "dirname"
        "echo"
        "env"
        "false"
        "head"
        "id"
        "ln"
        "ls"
        "mkdir"
        "mktemp"
        "mv"
        "nproc"
        "od"
        "printf"
        "readlink"
        "realpath"
        "rm"
        "seq"
        "sha256sum"
        "sleep"
        "sort"
        "stat"
        "tail"
        "tee"
        "test"
        "timeout"
        "touch"
        "tr"
        "true"
        "uname"
        "uniq"
        "wc"
      ];
      findutils = [
        "find"
        "xargs"
      ];
      diffutils = [
        "cmp"
        "diff"
      ];
      gawk = [ "awk" ];
      gnugrep = [ "grep" ];
      gnused = [ "sed" ];
      git = [ "git" ];
      gzip = [ "gzip" ];
      xz = [ "xz" ];
      which = [ "which" ];
      zstd = [ "zstd" ];
      nixfmt = [ "nixfmt" ];
      nixfmt-tree = [ "nixfmt" ];
      shellcheck = [ "shellcheck" ];
      qpdf = [ "qpdf" ];
    }
    // {
      # Looked up when a program runs; this host need not have it.
      rdma-core = hostPackage { pname = "rdma-core"; };
      numactl = hostPackage { pname = "numactl"; };
      dejavu_fonts = hostPackage {
        pname = "dejavu_fonts";
        check = "test -d /usr/share/fonts/truetype/dejavu";
      };
      pkgsStatic.busybox = hostPackage {
        pname = "busybox";
        check = ''
          cp "$(type -P busybox || echo ${host.labRoot}/bin/busybox)" $out/bin/busybox; :
        '';
      };
    };
}
