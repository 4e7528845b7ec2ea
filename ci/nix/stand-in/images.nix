# Images of one layer, of the right configuration and without a libc: they are looked into,
# never run.
{
  lib,
  host,
  stdenv,
}:
let
  arguments = import ./arguments.nix;
  # A file that refers to all that VALUE refers to.
  roots =
    name: value:
    stdenv.runCommand "roots-of-${builtins.baseNameOf name}" {
      text = builtins.toJSON value;
      passAsFile = [ "text" ];
    } "cp $textPath $out; :";
  image =
    {
      name,
      tag,
      contents ? [ ],
      config ? { },
      fakeRootCommands ? "",
    }:
    let
      archive =
        stdenv.runCommand "${builtins.baseNameOf name}.tar"
          {
            inherit contents;
            configuration = builtins.toJSON config;
            image = "${name}:${tag}";
            passAsFile = [ "configuration" ];
            exportReferencesGraph = [
              "graph"
              (roots name [
                contents
                config
              ])
            ];
          }
          ''
            mkdir root
            (cd root; ${fakeRootCommands})
            python3 ${./image.py} graph root $out
          '';
    in
    # As nixpkgs': the output is the program that writes the archive.
    stdenv.runCommand "stream-${builtins.baseNameOf name}" { } ''
      printf '#!%s\nexec cat %s\n' ${host.shell} ${archive} > $out
      chmod +x $out
    '';
in
{
  dockerTools = {
    streamLayeredImage = given: image (arguments.image given);
    # /usr/bin/env, which scripts begin with.
    usrBinEnv = stdenv.runCommand "usr-bin-env" { } ''
      mkdir -p $out/usr/bin
      ln -s /usr/bin/env $out/usr/bin/env
    '';
  };
  buildEnv =
    given:
    let
      inherit (arguments.environment given) name paths pathsToLink;
    in
    stdenv.runCommand name { } ''
      mkdir -p $out
      for path in ${toString paths}; do
        for part in ${toString pathsToLink}; do
          if [[ -d $path$part ]]; then mkdir -p $out$part; cp -rsn $path$part/. $out$part; fi
        done
      done
    '';
  closureInfo =
    given:
    let
      inherit (arguments.closure given) rootPaths;
    in
    stdenv.runCommand "closure-info"
      {
        exportReferencesGraph = lib.concatLists (
          lib.imap0 (index: path: [
            "graph-${toString index}"
            path
          ]) rootPaths
        );
      }
      ''
        mkdir $out
        grep -h "^$NIX_STORE/[^.]*" graph-* | sort -u > $out/store-paths
      '';
}
