# What this project uses of nixpkgs, by attribute, and the file that defines it at the locked
# revision (below github.com/NixOS/nixpkgs/tree/REV, REV being in flake.lock). Nothing else of
# nixpkgs can be reached from nix/: nix/default.nix hands on these and no more.
#
# The files were looked up in public copies of nixpkgs of 2025 and 2026, not at the locked
# revision itself. `ci/nix/verify-pin`, which needs a network, shows beside each the file that the
# locked nixpkgs names (meta.position). That may be another one, where a wrapper or a generic builder
# describes the package: what must be there is the attribute.
# What is used below some of them, which verify-pin looks for one by one:
# pkgsStatic.busybox linuxPackages.kernel rustPlatform.buildRustPackage testers.runNixOSTest
# dockerTools.streamLayeredImage dockerTools.usrBinEnv rPackages.ggplot2 rPackages.data_table
# rPackages.svglite rPackages.ragg rPackages.systemfonts rPackages.yaml rPackages.testthat rPackages.lintr
# python3.pkgs.snakemake-interface-common python3.pkgs.snakemake-interface-executor-plugins
# python3.pkgs.numpy python3.pkgs.pandas python3.pkgs.pyyaml python3.pkgs.throttler
# python3.pkgs.jinja2 python3.pkgs.pypandoc python3.pkgs.typst python3.pkgs.vl-convert-python
# python3.pkgs.toPythonModule python3.withPackages python3.pkgs.buildPythonPackage python3.pkgs.fetchPypi
# stdenv.hostPlatform.linux-kernel.target
# Options of NixOS, which the test of two machines evaluates: networking.rxe (measuring-host.nix).
{
  # Builders
  runCommand = "pkgs/build-support/trivial-builders/default.nix";
  writeShellApplication = "pkgs/build-support/trivial-builders/default.nix";
  buildEnv = "pkgs/build-support/buildenv/default.nix";
  closureInfo = "pkgs/build-support/closure-info.nix";
  mkShell = "pkgs/build-support/mkshell/default.nix";
  rustPlatform = "pkgs/development/compilers/rust/make-rust-platform.nix";
  dockerTools = "pkgs/build-support/docker/default.nix";
  testers = "pkgs/build-support/testers/default.nix";
  makeFontsConf = "pkgs/development/libraries/fontconfig/make-fonts-conf.nix";
  stdenv = "pkgs/stdenv/default.nix";
  pkgsStatic = "pkgs/top-level/stage.nix";

  # Rust, 1.95 or newer
  cargo = "pkgs/development/compilers/rust/cargo.nix";
  rustc = "pkgs/development/compilers/rust/rustc.nix";
  clippy = "pkgs/development/compilers/rust/clippy.nix";
  rustfmt = "pkgs/development/compilers/rust/rustfmt.nix";
  patchelf = "pkgs/development/tools/misc/patchelf/default.nix";

  # Verbs and NUMA
  rdma-core = "pkgs/by-name/rd/rdma-core/package.nix";
  numactl = "pkgs/by-name/nu/numactl/package.nix";

  # R
  rWrapper = "pkgs/development/r-modules/wrapper.nix";
  rPackages = "pkgs/development/r-modules/cran-packages.json";
  qpdf = "pkgs/by-name/qp/qpdf/package.nix";
  dejavu_fonts = "pkgs/data/fonts/dejavu-fonts/default.nix";

  # Python
  python3 = "pkgs/development/interpreters/python/default.nix";
  snakemake = "pkgs/by-name/sn/snakemake/package.nix";

  # The lab
  linuxPackages = "pkgs/top-level/linux-kernels.nix";
  qemu = "pkgs/by-name/qe/qemu/package.nix";
  kmod = "pkgs/os-specific/linux/kmod/default.nix";
  iproute2 = "pkgs/by-name/ip/iproute2/package.nix";
  util-linux = "pkgs/by-name/ut/util-linux/package.nix";
  procps = "pkgs/os-specific/linux/procps-ng/default.nix";

  # Tools
  bashInteractive = "pkgs/shells/bash/5.nix";
  coreutils = "pkgs/tools/misc/coreutils/default.nix";
  findutils = "pkgs/tools/misc/findutils/default.nix";
  diffutils = "pkgs/by-name/di/diffutils/package.nix";
  gawk = "pkgs/tools/text/gawk/default.nix";
  gnugrep = "pkgs/tools/text/gnugrep/default.nix";
  gnused = "pkgs/tools/text/gnused/default.nix";
  git = "pkgs/by-name/gi/git/package.nix";
  gzip = "pkgs/tools/compression/gzip/default.nix";
  xz = "pkgs/tools/compression/xz/default.nix";
  which = "pkgs/by-name/wh/which/package.nix";
  zstd = "pkgs/tools/compression/zstd/default.nix";
  nixfmt-tree = "pkgs/by-name/ni/nixfmt-tree/package.nix";
  nixfmt = "pkgs/by-name/ni/nixfmt/package.nix";
  shellcheck = "pkgs/development/tools/shellcheck/default.nix";
}
