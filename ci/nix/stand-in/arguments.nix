# The attributes of a derivation that its builder knows. nixpkgs takes any other for a variable of the
# builder's environment and says nothing, so that a misspelt one has no effect: here it is an error.
# As the manual of nixpkgs names them (stdenv, "Phases"; Rust, "buildRustPackage"), as far as ours
# use them; a variable of ours is in capitals or in `env`.
{ lib }:
let
  ofStdenv = [
    "buildCommand"
    "buildInputs"
    "buildPhase"
    "checkPhase"
    "configurePhase"
    "doCheck"
    "dontUnpack"
    "env"
    "installPhase"
    "meta"
    "name"
    "nativeBuildInputs"
    "nativeCheckInputs"
    "outputs"
    "passAsFile"
    "passthru"
    "pname"
    "postBuild"
    "postFixup"
    "postInstall"
    "sourceRoot"
    "src"
    "strictDeps"
    "version"
  ];
  ofRust = ofStdenv ++ [
    "cargoBuildFlags"
    "cargoLock"
    "cargoTestFlags"
    "checkFlags"
  ];
  isVariable = name: builtins.match "[A-Z0-9_]+" name != null;
  refuse =
    known: what: attributes:
    let
      unknown = lib.filter (name: !(builtins.elem name known || isVariable name)) (
        builtins.attrNames attributes
      );
    in
    if unknown == [ ] then attributes else throw "${what} has no argument ${toString unknown}";
in
{
  shell = refuse [
    "name"
    "packages"
  ];
  stdenv = refuse ofStdenv;
  rust = refuse ofRust;
}
