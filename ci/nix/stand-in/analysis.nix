# R and Python of this host. A package is looked for in them, by the name it is loaded by.
{
  lib,
  host,
  stdenv,
  tools,
}:
let
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
      {
        pname,
        version,
        hash,
        format ? "setuptools",
        dist ? null,
        python ? null,
      }:
      if builtins.match "sha256-[A-Za-z0-9+/]{43}=" hash == null then
        throw "fetchPypi: '${hash}' of ${pname} ${version} is not a SHA-256 in SRI form"
      else
        "${pname}-${version}";
    buildPythonPackage =
      {
        pname,
        version,
        src,
        format,
        dontCheckRuntimeDeps ? false,
        dependencies ? [ ],
      }:
      lib.deepSeq [
        src
        (map (dependency: dependency.name) dependencies)
      ] (pythonPackage (builtins.replaceStrings [ "-" ] [ "_" ] pname));
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
    { packages }:
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
      check = lib.concatMapStringsSep "\n" (package: "test -e ${package}") (choose python);
    };
  makeFontsConf =
    {
      fontDirectories,
      impureFontDirectories,
      includes,
    }:
    assert impureFontDirectories == [ ] && includes == [ ];
    stdenv.runCommand "fonts.conf" { } ''
      for folder in ${toString fontDirectories}; do test -e $folder; done
      echo '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">' > $out
      echo '<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>' >> $out
    '';
}
