# nix develop: a shell for each role, and one for all of them.
{
  lib,
  pkgs,
  packages,
}:
let
  shell =
    name: tools: variables:
    pkgs.mkShell (
      {
        name = "onesided-${name}";
        packages = tools;
      }
      // variables
    );
  rust = [
    pkgs.cargo
    pkgs.rustc
    pkgs.clippy
    pkgs.rustfmt
    pkgs.shellcheck
    pkgs.git
    pkgs.qemu
    pkgs.kmod
  ];
  workflow = [
    packages.workflow
    packages.onesided
    pkgs.which
  ];
  analysis = [ packages.figures ];
  # They are looked up when a program runs; a program that cargo built has no other hint.
  verbs.LD_LIBRARY_PATH = lib.makeLibraryPath [
    pkgs.rdma-core
    pkgs.numactl
  ];
  fonts.FONTCONFIG_FILE = "${packages.fonts}";
  # Scripts that otherwise look for what ci/install made.
  prepared.ONESIDED_WORKFLOW_ENVIRONMENT = "${packages.workflow}";
in
{
  default = shell "all" (rust ++ workflow ++ analysis ++ [ pkgs.nixfmt ]) (
    verbs // fonts // prepared
  );
  harness = shell "harness" rust verbs;
  workflow = shell "workflow" (workflow ++ analysis) (fonts // prepared);
  analysis = shell "analysis" analysis fonts;
  # The report needs all that comes before it.
  paper = shell "paper" (workflow ++ analysis) (fonts // prepared);
}
