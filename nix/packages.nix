# What can be built: nix build .#NAME
{
  lib,
  pkgs,
  sources,
  version,
  revision,
}:
let
  harness = import ./harness.nix {
    inherit
      lib
      pkgs
      sources
      version
      revision
      ;
  };
  analysis = import ./analysis.nix { inherit lib pkgs; };
  # As apps.nix has it, but for the virtual hosts, which an image does not boot.
  inherit
    (import ./apps.nix {
      inherit lib pkgs sources;
      packages = {
        inherit (harness) onesided;
        inherit (analysis) figures workflow fonts;
      };
    })
    report
    ;
  images = import ./images.nix {
    inherit
      lib
      pkgs
      version
      revision
      report
      ;
    inherit (harness) onesided;
  };
  lab = import ./lab.nix {
    inherit lib pkgs;
    inherit (harness) onesided;
  };
in
{
  default = harness.onesided;
  inherit (harness) onesided lint tests;
  # A package of its own, for `nix run .#conformance`.
  conformance = pkgs.runCommand "onesided-conformance" {
    meta.mainProgram = "onesided-conformance";
  } "ln -s ${harness.conformance} $out";
  inherit (analysis) figures workflow fonts;
  inherit (images) harness-image analysis-image;
}
# The lab's machines are x86_64 only (ci/lab).
// lib.optionalAttrs pkgs.stdenv.hostPlatform.isx86_64 {
  inherit (lab) lab-kernel lab-root lab-recipe;
}
