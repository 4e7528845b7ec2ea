# Kernel and NixOS tests. No machine is booted: the settings of each node are evaluated, and
# each is of an option of NixOS (options.nix) or of this project's own modules, by name and type;
# the test's script is checked as Python.
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

  # What a module is made of: without `options` or `config` it is its own `config`.
  contentOf =
    module:
    let
      isLong = module ? options || module ? config;
      unknown = lib.attrNames (
        removeAttrs module [
          "imports"
          "options"
          "config"
        ]
      );
    in
    if isLong && unknown != [ ] then
      throw "a module has no attribute ${toString unknown}"
    else if isLong then
      module.config or { }
    else
      removeAttrs module [ "imports" ];

  settingsOf =
    node:
    let
      modules = modulesOf node config;
      options = lib.foldl' lib.recursiveUpdate (import ./options.nix) (
        map (module: module.options or { }) modules
      );
      contents = map contentOf modules;
      # What a module is told of the others: all that is set without a condition.
      given = lib.foldl' lib.recursiveUpdate { } (lib.filter (content: !(isIf content)) contents);
      config = valuesOf "" options given;
    in
    lib.deepSeq (map (checked "" options) contents) {
      declared = lib.mapAttrs (name: _: config.${name}) (
        lib.foldl' lib.recursiveUpdate { } (map (module: module.options or { }) modules)
      );
      set = map resolved contents;
    };
  isIf = content: content._type or null == "if";
  # Each value that CONTENT sets is of an option, and of its type: also those of a condition that is false.
  checked =
    path: option: content:
    if isIf content then
      if builtins.isBool content.condition then
        checked path option content.content
      else
        throw "mkIf, `${path}': the condition is not of type boolean"
    else if option ? isOption then
      if option.type.check content then
        content
      else
        throw "the option `${path}' is not of type ${option.type.description}"
    else if !(builtins.isAttrs content) then
      throw "the options below `${path}' are not an attribute set"
    else
      lib.mapAttrs (
        name: value:
        let
          below = if path == "" then name else "${path}.${name}";
        in
        if option ? ${name} then
          checked below option.${name} value
        else
          throw "the option `${below}' does not exist"
      ) content;
  # What is left of CONTENT by its conditions.
  resolved =
    content:
    if isIf content then
      if content.condition then resolved content.content else { }
    else if builtins.isAttrs content && !(content ? drvPath) then
      lib.mapAttrs (_: resolved) content
    else
      content;
  # With the defaults of what is not set. A value is checked where it is read, as NixOS does it.
  valuesOf =
    path: options: given:
    lib.mapAttrs (
      name: option:
      let
        below = if path == "" then name else "${path}.${name}";
      in
      if option ? isOption then
        checked below option (given.${name} or option.default)
      else
        valuesOf below option (given.${name} or { })
    ) options;

  runNixOSTest =
    given:
    let
      inherit ((import ./arguments.nix).test given) name nodes testScript;
    in
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
