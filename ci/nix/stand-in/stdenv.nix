# Derivations whose builder is this host's bash. Pure evaluation forbids reading a host's files,
# not naming them: the paths in host.nix are strings.
{
  lib,
  host,
  system,
}:
let
  derivationOf =
    attributes:
    derivation (
      {
        inherit system;
        builder = host.shell;
        hostPath = host.path;
      }
      // attributes
    );

  setup = derivationOf {
    name = "stand-in-stdenv";
    args = [
      "-ec"
      # Without something after it bash becomes mkdir, which closes stderr before it ends, and
      # Nix takes that for the end and kills it.
      "PATH=$hostPath; mkdir $out; cp ${./setup.sh} $out/setup; :"
    ];
  };

  mkDerivation =
    attributes:
    let
      name = attributes.name or "${attributes.pname}-${attributes.version}";
      drv = derivationOf (
        removeAttrs attributes [
          "meta"
          "passthru"
          "env"
          "strictDeps"
        ]
        // (attributes.env or { })
        // {
          inherit name;
          stdenv = setup;
          outputs = attributes.outputs or [ "out" ];
          args = [
            "-e"
            ./builder.sh
          ];
        }
      );
    in
    drv
    // (attributes.passthru or { })
    // {
      inherit name;
      meta = attributes.meta or { };
    };

  runCommand =
    name: attributes: text:
    mkDerivation (
      attributes
      // {
        inherit name;
        buildCommand = text;
      }
    );

  # As nixpkgs': an argument that it does not know is an error.
  writeShellApplication =
    {
      name,
      text,
      runtimeInputs ? [ ],
      meta ? { },
      inheritPath ? true,
    }:
    mkDerivation {
      inherit name;
      meta = {
        mainProgram = name;
      }
      // meta;
      script = ''
        #!${host.shell}
        set -o errexit
        set -o nounset
        set -o pipefail
        export PATH="${lib.makeBinPath runtimeInputs}${lib.optionalString inheritPath ":$PATH"}"
        ${text}
      '';
      passAsFile = [ "script" ];
      buildCommand = ''
        mkdir -p $out/bin
        cp "$scriptPath" $out/bin/${name}
        chmod +x $out/bin/${name}
        ${host.shell} -n $out/bin/${name}
        shellcheck --norc $out/bin/${name}
      '';
    };

  mkShell =
    {
      name ? "shell",
      packages ? [ ],
      ...
    }@arguments:
    mkDerivation (
      removeAttrs arguments [ "packages" ]
      // {
        inherit name;
        nativeBuildInputs = packages;
        buildCommand = "mkdir $out; export > $out/environment";
      }
    );
in
{
  inherit
    mkDerivation
    runCommand
    writeShellApplication
    mkShell
    ;
  hostPlatform = {
    inherit system;
    isLinux = true;
    isx86_64 = system == "x86_64-linux";
    isAarch64 = system == "aarch64-linux";
    linux-kernel.target = if system == "x86_64-linux" then "bzImage" else "Image";
  };
}
