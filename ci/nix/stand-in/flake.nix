{
  description = "Stand-in for nixpkgs: this project's own wiring over one host's tools. NOT nixpkgs.";

  outputs =
    { self }:
    let
      lib = import ./lib.nix;
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] (
        system: import ./packages.nix { inherit lib system; }
      );
    };
}
