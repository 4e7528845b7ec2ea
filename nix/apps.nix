# What can be run: nix run .#NAME. Each takes --help.
{
  lib,
  pkgs,
  packages,
  sources,
}:
let
  inherit (packages) onesided figures workflow;
  boots = packages ? lab-recipe;

  application = name: description: runtimeInputs: text: {
    type = "app";
    program = lib.getExe (
      pkgs.writeShellApplication {
        inherit name text;
        runtimeInputs = [
          pkgs.bashInteractive
          pkgs.coreutils
          pkgs.findutils
          pkgs.diffutils
          pkgs.gnugrep
          pkgs.gnused
          pkgs.gawk
        ]
        ++ runtimeInputs;
        # A tool that is forgotten here is missed here, not on somebody else's machine.
        inheritPath = false;
        meta = { inherit description; };
      }
    );
    meta = { inherit description; };
  };

  boot = [
    pkgs.qemu
    pkgs.kmod
    pkgs.xz
    pkgs.zstd
  ];
  settings = ''
    export TZ=UTC LC_ALL=C.UTF-8 FONTCONFIG_FILE=${packages.fonts}
    export ONESIDED_PROGRAM=${lib.getExe onesided} ONESIDED_WORKFLOW_ENVIRONMENT=${workflow}
    ${lib.optionalString boots "export ONESIDED_LAB_RECIPE=${packages.lab-recipe}"}
  '';
  # A checkout of this repository is worked in; elsewhere, its files are laid out in ./onesided.
  enterStudy = ''
    if [[ ''${1-} == --help || ''${1-} == -h ]]; then exec bash ${sources.study}/ci/reproduce --help; fi
    if [[ ! -f Snakefile || ! -f config/config.yaml || ! -f ci/reproduce ]]; then
      bash ${./lay-out} ${sources.study} onesided
      cd onesided
    fi
  '';
  study = [
    pkgs.gzip
    pkgs.git
    # The Slurm executor asks it, wherever it runs.
    pkgs.which
    figures
    workflow
  ];
  reproduce =
    if boots then
      "exec bash ci/reproduce \"$@\""
    else
      ''
        echo "reproduce: the virtual hosts are x86_64 only: figures and report from stored tables" >&2
        exec bash ci/reproduce --figures-only "$@"
      '';
in
{
  default =
    application "onesided-reproduce"
      "From designs to the report: measures on Soft-RoCE in virtual hosts, draws, judges"
      (study ++ boot)
      (settings + enterStudy + reproduce);

  figures =
    application "onesided-figures" "Draws every figure from the study's stored tables"
      [ packages.figures ]
      ''
        export TZ=UTC LC_ALL=C.UTF-8 FONTCONFIG_FILE=${packages.fonts}
        if [[ ''${1-} == --help || ''${1-} == -h || $# -gt 1 ]]; then
          echo "usage: nix run .#figures [-- FOLDER]    draws into FOLDER [onesided-figures]"
          if [[ $# -gt 1 ]]; then exit 2; fi
          exit
        fi
        exec Rscript --vanilla ${sources.figures}/figures/draw \
          --tables ${sources.figures}/data/published --if-any --out "''${1:-onesided-figures}"
      '';

  report =
    application "onesided-report" "Figures, verdicts and the report from the stored tables" study
      (settings + enterStudy + "exec bash ci/reproduce --figures-only \"$@\"");

  topology = application "onesided-topology" "NUMA nodes, and the node of each RDMA device" [
    onesided
  ] "exec onesided topology \"$@\"";

  doctor = application "onesided-doctor" "Whether this host can measure, and what to change" [
    onesided
  ] "exec onesided doctor \"$@\"";

  lab =
    application "onesided-lab" "Runs a command on virtual hosts with Soft-RoCE and NUMA nodes" boot
      (
        if boots then
          ''
            export ONESIDED_LAB_RECIPE=${packages.lab-recipe}
            exec bash ${sources.study}/ci/lab "$@"
          ''
        else
          ''
            echo "lab: the virtual hosts are x86_64 only" >&2
            exit 2
          ''
      );
}
