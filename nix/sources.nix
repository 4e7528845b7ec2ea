# Which files of the repository each build sees. A change elsewhere builds nothing again; what tells
# the commit that it is of is copied and stamped anew (harness.nix).
{ lib }:
let
  files =
    parts:
    lib.fileset.toSource {
      root = ../.;
      fileset = lib.fileset.unions parts;
    };
  # Read by tests beside the code: designs, profiles, claims, tables and their schemas.
  readByTests = [
    ../experiments
    ../profiles
    ../paper
    ../data
    ../README.md
    ../docs
    ../ci/lab.d
  ];
  readByFigures = [
    ../figures
    ../data
    ../config
  ];
in
{
  harness = files [ ../harness ];
  tests = files ([ ../harness ] ++ readByTests);
  figures = files readByFigures;
  # All that a person who runs the study works with.
  study = files (
    readByTests
    ++ readByFigures
    ++ [
      ../Snakefile
      ../workflow
      ../ci
      ../harness/Cargo.toml
      ../LICENSE
    ]
  );
  scripts = files [
    ../ci
    ../containers
    ../figures
    ../workflow
    ../.shellcheckrc
  ];
  nix = files [
    ../flake.nix
    ../nix
    ../ci/nix
  ];
}
