# buildRustPackage with cargoLock, by its documented contract: the lock file is read at
# evaluation, a git dependency without a hash and a crate without a checksum are errors, the
# build is offline and frozen. Vendoring is cargo's own, against the lock's checksums.
{
  lib,
  host,
  stdenv,
}:
let
  checkedLock =
    { lockFile }:
    let
      text = builtins.readFile lockFile;
      packages = (builtins.fromTOML text).package or [ ];
      named = wrong: lib.concatMapStringsSep " " (package: package.name) wrong;
      from = kind: package: lib.hasPrefix "${kind}+" (package.source or "");
      git = lib.filter (from "git") packages;
      unsummed = lib.filter (package: from "registry" package && !(package ? checksum)) packages;
    in
    if git != [ ] then
      throw "cargoLock.outputHashes lacks ${named git}"
    else if unsummed != [ ] then
      throw "Cargo.lock has no checksum for ${named unsummed}"
    else
      builtins.toFile "Cargo.lock" text;

  phases = arguments: {
    configurePhase = ''
      export CARGO_HOME=$NIX_BUILD_TOP/cargo-home
      mkdir -p $CARGO_HOME
      ln -s ${host.cargoHome}/registry $CARGO_HOME/registry
      cmp Cargo.lock "$checkedLock" || { echo "Cargo.lock of src and of cargoLock differ" >&2; exit 1; }
      mkdir -p .cargo
      # What fits parameters simulates hundreds of conditions: minutes, where it is not optimised.
      printf '[profile.release.package.%s]\nopt-level = 3\n' onesided-sim onesided-prediction >> .cargo/config.toml
      cargo vendor --offline --locked --versioned-dirs "$NIX_BUILD_TOP/vendor" >> .cargo/config.toml
    '';
    # All crates and an example: with the features that their tests ask of what they use, so that
    # nothing is compiled twice. What the flags name must be there all the same.
    buildPhase = ''
      runHook preBuild
      cargo tree --offline --quiet --depth 0 ${toString (arguments.cargoBuildFlags or [ ])} > /dev/null
      cargo build --release --offline --frozen --workspace --lib --bins --examples
      runHook postBuild
    '';
    checkPhase = ''
      runHook preCheck
      cargo test --release --offline --frozen ${toString (arguments.cargoTestFlags or [ ])} \
        -- ${toString (arguments.checkFlags or [ ])}
      runHook postCheck
    '';
    installPhase = ''
      runHook preInstall
      mkdir -p $out/bin
      find target/release -maxdepth 1 -type f -executable ! -name '*.so' -exec cp -t $out/bin {} +
      runHook postInstall
    '';
  };

  # What a user gets is optimised; what is checked here need not be. Said in the log.
  hasty = {
    CARGO_PROFILE_RELEASE_OPT_LEVEL = "0";
    CARGO_PROFILE_RELEASE_LTO = "off";
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS = "16";
    CARGO_PROFILE_RELEASE_DEBUG = "0";
    CARGO_PROFILE_DEV_DEBUG = "0";
    CARGO_INCREMENTAL = "0";
  };
in
{
  rustPlatform.buildRustPackage =
    given:
    let
      arguments = (import ./arguments.nix).rust given;
    in
    stdenv.mkDerivation (
      {
        doCheck = true;
      }
      // phases arguments
      // hasty
      // removeAttrs arguments [ "cargoLock" ]
      // {
        checkedLock = checkedLock arguments.cargoLock;
      }
    );
}
