# Kernel and NixOS tests. No machine is booted: the settings of each node are evaluated, options
# of this project's own modules by name and type, and the test's script is checked as Python.
{
  lib,
  stdenv,
  pkgs,
  host,
}:
let
  # The modules of a node, from its imports and itself, each called with what modules get.
  modulesOf =
    node: config:
    let
      module = if builtins.isPath node then import node else node;
      called = if builtins.isFunction module then module { inherit lib pkgs config; } else module;
    in
    lib.concatMap (part: modulesOf part config) (called.imports or [ ]) ++ [ called ];

  # Only options that a module declares are known here; what NixOS itself declares is not checked.
  settingsOf =
    node:
    let
      modules = modulesOf node config;
      declared = lib.foldl' lib.recursiveUpdate { } (map (module: module.options or { }) modules);
      given = lib.foldl' lib.recursiveUpdate { } (
        map (
          module:
          removeAttrs module [
            "imports"
            "options"
            "config"
          ]
        ) modules
      );
      config =
        given // lib.mapAttrs (name: options: valuesOf name options (given.${name} or { })) declared;
    in
    {
      inherit given;
      own = map (module: module.config or { }) modules;
      declared = lib.mapAttrs (name: _: config.${name}) declared;
    };
  valuesOf =
    path: options: given:
    let
      unknown = lib.filter (name: !(options ? ${name})) (lib.attrNames given);
    in
    if unknown != [ ] then
      throw "the option `${path}.${lib.head unknown}' does not exist"
    else
      lib.mapAttrs (
        name: option:
        let
          value = given.${name} or option.default;
        in
        if !(option ? isOption) then
          valuesOf "${path}.${name}" option (given.${name} or { })
        else if option.type.check value then
          value
        else
          throw "the option `${path}.${name}' is not of type ${option.type.description}"
      ) options;

  runNixOSTest =
    {
      name,
      nodes,
      testScript,
    }:
    stdenv.runCommand "vm-test-${name}-NOT-RUN"
      {
        # Evaluated; what they name need not be built for it.
        settings = builtins.unsafeDiscardStringContext (
          builtins.toJSON (lib.mapAttrs (_: settingsOf) nodes)
        );
        inherit testScript;
        nodes = lib.attrNames nodes;
        passAsFile = [
          "testScript"
          "settings"
        ];
      }
      ''
        python3 ${./test_script.py} "$testScriptPath" $nodes
        mkdir $out
        cp "$settingsPath" $out/settings.json
        echo "STAND-IN: the script was read, no machine was booted" | tee $out/NOT-RUN
      '';
in
{
  testers = { inherit runNixOSTest; };
  # The kernel of ci/lab's own recipe, where this host has prepared one.
  linuxPackages.kernel = stdenv.runCommand "linux-of-the-lab" { } ''
    mkdir -p $out/lib
    recipe=${host.labRoot}
    [[ -d $recipe/lib/modules ]] || { echo "this host has prepared no lab: ci/lab --prepare" >&2; exit 1; }
    cp $recipe/../kernel $out/bzImage
    cp -r $recipe/lib/modules $out/lib/
  '';
}
