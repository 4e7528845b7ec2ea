# The attributes that nix/nixpkgs.nix lists, and no other: one that nobody looked up is an error
# of evaluation. Each is realised with this host's tools, which host.nix (compose) names.
{ lib, system }:
let
  host = import ./host.nix;
  stdenv = import ./stdenv.nix { inherit lib host system; };
  arguments = import ./arguments.nix;
  tools = import ./tools.nix { inherit lib host stdenv; };
  rust = import ./rust.nix { inherit lib host stdenv; };
  analysis = import ./analysis.nix {
    inherit
      lib
      host
      stdenv
      tools
      ;
  };
  images = import ./images.nix { inherit lib host stdenv; };
  nixos = import ./nixos.nix {
    inherit
      lib
      stdenv
      host
      pkgs
      ;
  };
  pkgs =
    tools.packages
    // analysis
    // images
    // nixos
    // {
      writeShellApplication = attributes: stdenv.writeShellApplication (arguments.application attributes);
      mkShell = attributes: stdenv.mkShell (arguments.shell attributes);
      runCommand =
        name: attributes: text:
        stdenv.runCommand (arguments.name name) (arguments.stdenv attributes) (arguments.text text);
      inherit (rust) rustPlatform;
      stdenv = {
        inherit (stdenv) hostPlatform;
      };
    };
in
pkgs
