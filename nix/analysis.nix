# R with what figures/ loads, and Python with what the workflow runs on.
{ lib, pkgs }:
let
  # As ci/install.d/figures lists them.
  r = pkgs.rWrapper.override {
    packages = with pkgs.rPackages; [
      ggplot2
      data_table
      svglite
      ragg
      systemfonts
      yaml
      testthat
      lintr
    ];
  };
  # cairo 1.18 and newer keep the date of a PDF where only qpdf finds it.
  figures = pkgs.buildEnv {
    name = "onesided-figures";
    paths = [
      r
      pkgs.qpdf
    ];
    pathsToLink = [ "/bin" ];
  };
  # The one family that figures name, and no other: the same layout on every host.
  fonts = pkgs.makeFontsConf {
    fontDirectories = [ pkgs.dejavu_fonts ];
    # Neither those of the host nor those of a user, which it has by default.
    impureFontDirectories = [ ];
    includes = [ ];
  };

  # Not in nixpkgs. Versions as in workflow/requirements.txt.
  slurm =
    python:
    let
      wheel =
        pname: version: hash: dependencies:
        python.buildPythonPackage {
          inherit pname version dependencies;
          format = "wheel";
          # They ask for newer versions than the pin may have; docs/nix.md says so.
          dontCheckRuntimeDeps = true;
          src = python.fetchPypi {
            inherit version hash;
            pname = builtins.replaceStrings [ "-" ] [ "_" ] pname;
            format = "wheel";
            dist = "py3";
            python = "py3";
          };
        };
      interfaces = [
        python.snakemake-interface-common
        python.snakemake-interface-executor-plugins
      ];
      jobstep =
        wheel "snakemake-executor-plugin-slurm-jobstep" "0.6.1"
          "sha256-Eg4SLuExcle9lgiipFhSetn+RSCqGoYQnpzirDIjIe8="
          interfaces;
    in
    wheel "snakemake-executor-plugin-slurm" "2.8.0"
      "sha256-m3/biSYc7gCkmdWS9AjZhf9kromRbs52jQUG64SKtYw="
      (
        interfaces
        ++ [
          jobstep
          python.numpy
          python.pandas
          python.pyyaml
          python.throttler
        ]
      );
in
{
  inherit figures fonts;
  # bin/python3 and bin/snakemake, as the environment that ci/install makes has them.
  workflow = pkgs.python3.withPackages (python: [
    (python.toPythonModule pkgs.snakemake)
    (slurm python)
    python.jinja2
    python.pypandoc
    python.typst
    python.vl-convert-python
  ]);
}
