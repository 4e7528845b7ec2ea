# All outputs for one system: what flake.nix lists.
{
  self,
  lib,
  nixpkgs,
}:
let
  # Nothing of nixpkgs but what nix/nixpkgs.nix lists.
  pkgs = lib.mapAttrs (name: _file: nixpkgs.${name}) (import ./nixpkgs.nix);

  version = (lib.importTOML ../harness/Cargo.toml).workspace.package.version;
  sources = import ./sources.nix { inherit lib; };
  # Of a commit, or of a commit and what was changed since; a folder without git has none.
  revision = self.shortRev or self.dirtyShortRev or "unknown";

  packages = import ./packages.nix {
    inherit
      lib
      pkgs
      sources
      version
      revision
      ;
  };
in
{
  inherit packages;
  apps = import ./apps.nix {
    inherit
      lib
      pkgs
      packages
      sources
      ;
  };
  devShells = import ./shells.nix { inherit lib pkgs packages; };
  checks = import ./checks.nix {
    inherit
      lib
      pkgs
      packages
      sources
      version
      ;
  };
  formatter = pkgs.nixfmt-tree;
}
