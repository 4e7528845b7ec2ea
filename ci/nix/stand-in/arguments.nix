# The arguments of the builders that nix/ uses, by name and type. nixpkgs takes another attribute of a
# derivation for a variable of the builder's environment and says nothing, so that a misspelt one has
# no effect: here it is an error. So is a value of another type, which nixpkgs often makes a string.
# As the manual of nixpkgs names them (stdenv, "Phases"; Rust, "buildRustPackage"; "dockerTools";
# "Trivial build helpers"), as far as ours use them.
let
  types = import ./types.nix;
  inherit (types)
    attrs
    bool
    checked
    enum
    listOf
    package
    path
    record
    str
    ;

  meta = record "meta" {
    description = str;
    license = record "a licence" { spdxId = enum [ "MIT" ]; };
    mainProgram = str;
    platforms = listOf (enum [
      "x86_64-linux"
      "aarch64-linux"
    ]);
  };
  # Those that programs and scripts of ours read.
  variables = {
    FONTCONFIG_FILE = types.either str package;
    LC_ALL = str;
    LD_LIBRARY_PATH = str;
    ONESIDED_WORKFLOW_ENVIRONMENT = str;
    TZ = str;
  };
  ofStdenv = variables // {
    inherit meta;
    buildPhase = str;
    doCheck = bool;
    installPhase = str;
    name = str;
    nativeBuildInputs = listOf package;
    outputs = listOf str;
    passthru = attrs;
    pname = str;
    postBuild = str;
    postFixup = str;
    postInstall = str;
    sourceRoot = str;
    src = path;
    strictDeps = bool;
    version = str;
  };
  ofRust = ofStdenv // {
    cargoBuildFlags = listOf str;
    cargoLock = record "cargoLock" { lockFile = path; };
    cargoTestFlags = listOf str;
    checkFlags = listOf str;
  };
in
{
  stdenv = checked "runCommand" ofStdenv;
  rust = checked "buildRustPackage" ofRust;
  shell = checked "mkShell" (
    variables
    // {
      name = str;
      packages = listOf package;
    }
  );
  application = checked "writeShellApplication" {
    inherit meta;
    inheritPath = bool;
    name = str;
    runtimeInputs = listOf package;
    text = str;
  };
  environment = checked "buildEnv" {
    name = str;
    paths = listOf package;
    pathsToLink = listOf str;
  };
  closure = checked "closureInfo" { rootPaths = listOf package; };
  fonts = checked "makeFontsConf" {
    fontDirectories = listOf package;
    impureFontDirectories = listOf str;
    includes = listOf str;
  };
  # `config` as the specification of OCI images has it; labels and volumes, which may have any name, as ours.
  image = checked "streamLayeredImage" {
    name = str;
    tag = str;
    contents = listOf package;
    fakeRootCommands = str;
    config = record "config of an image" {
      Cmd = listOf str;
      Entrypoint = listOf str;
      Env = listOf str;
      Labels = record "labels of an image" {
        "org.opencontainers.image.title" = str;
        "org.opencontainers.image.version" = str;
        "org.opencontainers.image.revision" = str;
        "org.opencontainers.image.licenses" = str;
      };
      User = str;
      Volumes = record "volumes of an image" { "/results" = record "a volume" { }; };
      WorkingDir = str;
    };
  };
  r = checked "rWrapper.override" { packages = listOf package; };
  python = checked "buildPythonPackage" {
    pname = str;
    version = str;
    src = str;
    format = enum [ "wheel" ];
    dontCheckRuntimeDeps = bool;
    dependencies = listOf package;
  };
  fromPypi = checked "fetchPypi" {
    pname = str;
    version = str;
    hash = str;
    format = enum [ "wheel" ];
    dist = str;
    python = str;
  };
  test = checked "runNixOSTest" {
    name = str;
    nodes = attrs;
    testScript = str;
  };
  # What is no attribute set.
  name = types.typed "the name of a derivation" str;
  text = types.typed "the text of a derivation" str;
  pythonPackages = types.typed "python3.withPackages" (listOf package);
}
