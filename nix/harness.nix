# The Rust workspace: the program, what tests it here and on machines with RDMA, what lints it.
{
  lib,
  pkgs,
  sources,
  version,
  revision,
}:
let
  workspace = {
    inherit version;
    src = sources.harness;
    sourceRoot = "source/harness";
    cargoLock.lockFile = ../harness/Cargo.lock;
    strictDeps = true;
    meta = {
      description = "Measures what NUMA does to one-sided RDMA";
      license = lib.licenses.mit;
      platforms = lib.platforms.linux;
      mainProgram = "onesided";
    };
  };
  # rdma-core and libnuma are looked up when the program runs: their folders go into the program's
  # own search path, so that neither a host's library nor an environment variable decides.
  findsLibraries = program: ''
    patchelf --add-rpath ${
      lib.makeLibraryPath [
        pkgs.rdma-core
        pkgs.numactl
      ]
    } ${program}
  '';
  build = arguments: pkgs.rustPlatform.buildRustPackage (workspace // arguments);

  # Of no revision, and of the sources of harness/ alone: a commit that changes none of them finds
  # it compiled. Its output "conformance" is the suite over verbs, which nix/vm-test.nix runs.
  unstamped = build {
    pname = "onesided-unstamped";
    outputs = [
      "out"
      "conformance"
    ];
    cargoBuildFlags = [ "--package=onesided" ];
    doCheck = false;
    nativeBuildInputs = [ pkgs.patchelf ];
    postBuild = ''
      # Of the whole workspace: with the features that its other tests are compiled with.
      cargo test --release --locked --offline --no-run --workspace --test=conformance \
        --message-format=json > conformance.json
    '';
    postInstall = ''
      suite=$(sed -nE '/crates\/verbs#/s/.*"name":"conformance".*"executable":"([^"]+)".*/\1/p' conformance.json)
      install -D "$suite" $conformance/bin/onesided-conformance
    '';
    postFixup = ''
      ${findsLibraries "$out/bin/onesided"}
      ${findsLibraries "$conformance/bin/onesided-conformance"}
    '';
  };
in
{
  inherit (unstamped) conformance;

  # The same program, and what it is built from written into it.
  onesided =
    pkgs.runCommand "onesided-${version}"
      {
        inherit (workspace) meta;
        passthru = { inherit unstamped; };
      }
      ''
        cp -r ${unstamped} $out
        chmod -R u+w $out
        bash ${../harness/stamp} $out/bin/onesided ${revision}
      '';

  # Those of libraries. Those with processes, memory limits and devices of their own are run by
  # ci/test: a build's sandbox is no place for them.
  tests = build {
    pname = "onesided-tests";
    src = sources.tests;
    # What tests need is compiled for them, and nothing else.
    buildPhase = ''
      runHook preBuild
      runHook postBuild
    '';
    cargoTestFlags = [
      "--workspace"
      "--lib"
    ];
    # These bind memory to a node, and a sandbox has no /sys to tell of one.
    checkFlags = [
      "--skip=bound_memory_is_where_asked_on_every_page"
      "--skip=bound_memory_is_proven_by_this_way_too"
      "--skip=memory_expected_elsewhere_is_found"
      "--skip=memory_of_a_node_is_found_where_it_was_asked_from_and_an_absent_one_is_refused"
    ];
    installPhase = ''
      runHook preInstall
      mkdir $out
      runHook postInstall
    '';
  };

  # clippy's word, and the documentation of the crates as its output "doc": one compilation.
  lint = build {
    pname = "onesided-lint";
    outputs = [
      "out"
      "doc"
    ];
    nativeBuildInputs = [ pkgs.clippy ];
    buildPhase = ''
      runHook preBuild
      cargo clippy --workspace --locked --offline -- -D warnings
      RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --offline
      runHook postBuild
    '';
    doCheck = false;
    installPhase = ''
      runHook preInstall
      mkdir -p $out $doc/share/doc
      echo "clippy has nothing to say" > $out/clippy
      cp -r target/doc $doc/share/doc/onesided
      runHook postInstall
    '';
  };
}
