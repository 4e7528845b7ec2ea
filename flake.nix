{
  description = "onesided: what NUMA does to one-sided RDMA, measured, replayed and judged";

  # flake.lock pins one commit of it, by its hash. What is used of it: nix/nixpkgs.nix.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      on = lib.genAttrs systems (
        system:
        import ./nix {
          inherit self lib;
          nixpkgs = nixpkgs.legacyPackages.${system};
        }
      );
      each = part: lib.mapAttrs (_: outputs: outputs.${part}) on;
    in
    {
      # onesided, figures (R), workflow (Snakemake), harness-image, analysis-image,
      # conformance, lab-kernel, lab-root, lab-recipe: nix/packages.nix
      packages = each "packages";

      # nix run: reproduce; nix run .#figures, report, topology, doctor, lab: nix/apps.nix
      apps = each "apps";

      # nix develop: all roles; .#harness, .#workflow, .#analysis, .#paper: nix/shells.nix
      devShells = each "devShells";

      # nix flake check: nix/checks.nix; two machines with Soft-RoCE: nix/vm-test.nix
      checks = each "checks";

      # nix fmt
      formatter = each "formatter";

      # A host that measures, or pretends to: memory locks, huge pages, governor, Soft-RoCE.
      nixosModules.measuring-host = import ./nix/measuring-host.nix;
    };
}
