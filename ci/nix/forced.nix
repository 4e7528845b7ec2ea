# All that the flake gives for both systems, evaluated, as `nix flake check --no-build` does it; and
# what that does not look at: how an application, the flake itself and the list of nixpkgs'
# attributes are written, where the program has its revision from, and what the module leaves alone.
#
#   nix-instantiate --eval --strict --json ci/nix/forced.nix --argstr flake FOLDER --argstr standIn FOLDER
#
# Its value: what there is, as `nix flake show --json` has it, and the script of the test of virtual machines.
{ flake, standIn }:
let
  types = import (/. + standIn + "/types.nix");
  inherit (types) checked record str;
  nixpkgs = (import (/. + standIn + "/flake.nix")).outputs { self = null; };
  inherit (nixpkgs) lib;
  written = checked "flake.nix" {
    description = str;
    inputs = record "inputs" { nixpkgs = record "inputs.nixpkgs" { url = str; }; };
    outputs = {
      description = "function";
      check = builtins.isFunction;
    };
  } (import (/. + flake + "/flake.nix"));
  outputsOf = self: written.outputs { inherit self nixpkgs; };
  outputs = outputsOf { shortRev = "of-a-commit"; };

  derivation =
    package:
    if types.package.check package then
      builtins.seq package.drvPath { type = "derivation"; }
    else
      throw "an output is no derivation";
  application =
    given:
    builtins.seq (checked "an application" {
      type = types.enum [ "app" ];
      program = str;
      meta = record "meta of an application" { description = str; };
    } given) { inherit (given) type; };
  module =
    given:
    if builtins.isFunction given then { type = "nixos-module"; } else throw "a module is no function";
  perName = lib.mapAttrs;
  perSystem = one: perName (_: perName (_: one));
  kinds = {
    packages = perSystem derivation;
    checks = perSystem derivation;
    devShells = perSystem derivation;
    apps = perSystem application;
    formatter = perName (_: derivation);
    nixosModules = perName (_: module);
  };

  # The program says a commit, one with changes, and that it knows of none.
  says =
    revision: self:
    let
      command = (outputsOf self).packages.x86_64-linux.onesided.buildCommand;
    in
    builtins.length (builtins.split "onesided ${revision}\n" command) > 1;
  revisions =
    says "of-a-commit" { shortRev = "of-a-commit"; }
    && says "of-a-commit-dirty" { dirtyShortRev = "of-a-commit-dirty"; }
    && says "unknown" { };
  # Each attribute of nixpkgs has the file that defines it.
  unlike = lib.filter (
    file: !(builtins.isString file && builtins.match "pkgs/.+\\.(nix|json)" file != null)
  ) (lib.attrValues (import (/. + flake + "/nix/nixpkgs.nix")));
  named = lib.attrNames (import (/. + flake + "/nix/nixpkgs.nix"));
  given = lib.attrNames nixpkgs.legacyPackages.x86_64-linux;
  # What the module sets where only its switch is on: nothing that its defaults leave alone.
  defaults =
    builtins.fromJSON
      (nixpkgs.legacyPackages.x86_64-linux.testers.runNixOSTest {
        name = "defaults";
        nodes.machine = {
          imports = [ outputs.nixosModules.measuring-host ];
          onesided.measuring.enable = true;
        };
        testScript = "";
      }).settings;
  setByDefaults = builtins.head (lib.filter (set: set ? networking) defaults.machine.set);
  leavesAlone =
    setByDefaults.networking == {
      rxe = { };
      firewall.allowedUDPPorts = [ ];
    }
    && setByDefaults.powerManagement.cpuFreqGovernor == { }
    && setByDefaults.boot.kernelParams == [ ];
  test = outputs.checks.x86_64-linux.vm;
in
if !revisions then
  throw "the program does not say its revision"
else if !leavesAlone then
  throw "nix/measuring-host.nix sets what its defaults leave alone"
else if named != given then
  throw "nix/nixpkgs.nix does not have the attributes that the stand-in has"
else if unlike != [ ] then
  throw "nix/nixpkgs.nix has what is no file of nixpkgs: ${toString unlike}"
else
  {
    shown = perName (
      kind: value: (kinds.${kind} or (throw "flake.nix has an output ${kind}")) value
    ) outputs;
    test = { inherit (test) testScript nodes; };
  }
