# nix flake check
{
  lib,
  pkgs,
  packages,
  sources,
  version,
}:
let
  check =
    name: nativeBuildInputs: text:
    pkgs.runCommand "onesided-${name}"
      {
        inherit nativeBuildInputs;
        LC_ALL = "C.UTF-8";
        TZ = "UTC";
        FONTCONFIG_FILE = packages.fonts;
      }
      ''
        ${text}
        touch $out
      '';
in
{
  format =
    check "format"
      [
        pkgs.cargo
        pkgs.rustfmt
        pkgs.nixfmt
        pkgs.findutils
      ]
      ''
        cd ${sources.harness}/harness
        find crates -name '*.rs' -exec rustfmt --edition 2024 --check --config-path rustfmt.toml {} +
        cd ${sources.nix}
        find . -name '*.nix' -exec nixfmt --check {} +
      '';

  scripts =
    check "scripts"
      [
        pkgs.shellcheck
        pkgs.findutils
        pkgs.gnugrep
      ]
      ''
        cd ${sources.scripts}
        # By their first line, as ci/test.d/lint finds them.
        grep -rlE '^#!.*(bash|sh)$|^# shellcheck shell=' . | xargs shellcheck --external-sources
      '';

  inherit (packages) tests;
  clippy = packages.lint;
  docs = packages.lint.doc;

  # Its own tests, and what it would do for each source it can ask: every rule and script that
  # is missing, and every key that config/config.yaml has wrong, is found here.
  workflow =
    check "workflow"
      [
        packages.workflow
        packages.figures
        packages.onesided
        pkgs.bashInteractive
        pkgs.gzip
        pkgs.git
        pkgs.which
      ]
      ''
        cp -r ${sources.study} study
        chmod -R u+w study
        cd study
        export HOME=$NIX_BUILD_TOP
        # Started as programs, which a build's sandbox has no /usr/bin/env for.
        patchShebangs workflow figures ci >/dev/null
        for tests in study sets scripts; do python3 workflow/tests/test_$tests.py; done
        for machine in 'source=published' 'source=soft-roce' 'source=emulated profile=emulated-rmc'; do
          # As two words, where it is two.
          snakemake --workflow-profile workflow/execution/local --dry-run --quiet all \
            --config $machine level=smoke onesided=${lib.getExe packages.onesided}
        done
      '';

  # What is drawn of the stored tables, by its values: figures/tests/golden.csv.
  figures = check "figures" [ packages.figures ] ''
    Rscript --vanilla ${sources.figures}/figures/tests/golden --check
  '';

  vm = import ./vm-test.nix {
    inherit
      lib
      pkgs
      packages
      version
      ;
  };
}
