# R and Python of this host. A package is looked for in them, by the name it is loaded by.
{
  lib,
  host,
  stdenv,
  tools,
}:
let
  arguments = import ./arguments.nix;
  rPackage =
    attribute: name:
    tools.hostPackage {
      pname = "r-${attribute}";
      check = ''
        Rscript --vanilla -e 'if (!requireNamespace("${name}", quietly = TRUE)) {
          message("this host'"'"'s R lacks ${name}"); quit(status = 1) }'
      '';
    };

  # Evaluated, so that a wrong name or hash is found, and not built: the wheels would have to be
  # fetched. That the host's Python has the module is what is built.
  pythonPackage =
    module:
    tools.hostPackage {
      pname = "python-${module}";
      check = "python3 -c 'import ${module}'";
    };
  python = {
    toPythonModule = package: package;
    fetchPypi =
      given:
      let
        wheel = arguments.fromPypi given;
      in
      if builtins.match "sha256-[A-Za-z0-9+/]{43}=" wheel.hash == null then
        throw "fetchPypi: '${wheel.hash}' of ${wheel.pname} ${wheel.version} is not a SHA-256 in SRI form"
      else
        "${wheel.pname}-${wheel.version}";
    # Its arguments are checked as soon as the package is looked at.
    buildPythonPackage =
      given:
      builtins.seq (arguments.python given) (
        pythonPackage (builtins.replaceStrings [ "-" ] [ "_" ] given.pname)
      );
  }
  // lib.mapAttrs (_attribute: pythonPackage) {
    jinja2 = "jinja2";
    numpy = "numpy";
    pandas = "pandas";
    pypandoc = "pypandoc";
    pyyaml = "yaml";
    snakemake-interface-common = "snakemake_interface_common";
    snakemake-interface-executor-plugins = "snakemake_interface_executor_plugins";
    throttler = "throttler";
    typst = "typst";
    vl-convert-python = "vl_convert";
  };

  makeR =
    given:
    let
      inherit (arguments.r given) packages;
    in
    tools.hostPackage {
      pname = "R";
      programs = [
        "R"
        "Rscript"
      ];
      inPlace = true;
      check = lib.concatMapStringsSep "\n" (package: "test -e ${package}") packages;
    };
in
{
  rWrapper.override = makeR;
  rPackages = lib.mapAttrs rPackage {
    data_table = "data.table";
    ggplot2 = "ggplot2";
    lintr = "lintr";
    ragg = "ragg";
    svglite = "svglite";
    systemfonts = "systemfonts";
    testthat = "testthat";
    yaml = "yaml";
  };
  snakemake = pythonPackage "snakemake";
  python3.withPackages =
    choose:
    tools.hostPackage {
      pname = "python3-env";
      programs = [
        "python3"
        "snakemake"
      ];
      inPlace = true;
      check = lib.concatMapStringsSep "\n" (package: "test -e ${package}") (
        arguments.pythonPackages (choose python)
      );
    };
  makeFontsConf =
    given:
    let
      inherit (arguments.fonts given) fontDirectories impureFontDirectories includes;
    in
    assert impureFontDirectories == [ ] && includes == [ ];
    stdenv.runCommand "fonts.conf" { } ''
      for folder in ${toString fontDirectories}; do test -e $folder; done
      echo '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">' > $out
      echo '<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>' >> $out
    '';
}
