# The functions of nixpkgs' lib that the flake uses, written from their documented behaviour.
let
  b = builtins;
  all = import ./types.nix;
in
rec {
  inherit (b)
    attrNames
    attrValues
    concatLists
    concatMap
    concatStringsSep
    deepSeq
    elemAt
    filter
    foldl'
    genList
    head
    length
    mapAttrs
    removeAttrs
    ;
  genAttrs =
    names: f:
    b.listToAttrs (
      map (name: {
        inherit name;
        value = f name;
      }) names
    );
  imap0 = f: list: genList (index: f index (elemAt list index)) (length list);
  optional = condition: value: if condition then [ value ] else [ ];
  optionalString = condition: text: if condition then text else "";
  optionalAttrs = condition: attributes: if condition then attributes else { };
  concatStrings = concatStringsSep "";
  concatMapStringsSep =
    separator: f: list:
    concatStringsSep separator (map f list);
  hasPrefix = prefix: text: b.substring 0 (b.stringLength prefix) text == prefix;
  recursiveUpdate =
    left: right:
    left
    // mapAttrs (
      name: value:
      if b.isAttrs value && b.isAttrs (left.${name} or null) then
        recursiveUpdate left.${name} value
      else
        value
    ) right;
  makeBinPath = concatMapStringsSep ":" (package: "${package}/bin");
  makeLibraryPath = concatMapStringsSep ":" (package: "${package}/lib");
  getExe =
    package:
    "${package}/bin/${
      package.meta.mainProgram or (throw "getExe: ${package.name} has no meta.mainProgram")
    }";
  importTOML = path: b.fromTOML (b.readFile path);
  licenses.mit.spdxId = "MIT";
  platforms.linux = [
    "x86_64-linux"
    "aarch64-linux"
  ];

  # File sets are lists of paths here, and a path that is not there is an error, as in lib.
  fileset = {
    unions =
      paths:
      map (
        path:
        if !b.isPath path then
          throw "lib.fileset.unions: ${toString path} is not of type path"
        else if b.pathExists path then
          path
        else
          throw "lib.fileset.unions: ${toString path} does not exist"
      ) paths;
    toSource =
      { root, fileset }:
      let
        within = path: parent: path == parent || hasPrefix "${parent}/" path;
        wanted = map toString fileset;
      in
      b.path {
        path = root;
        name = "source";
        filter = path: _type: b.any (part: within path part || within part path) wanted;
      };
  };

  # Of modules, what nixos.nix understands. It looks at what a condition that is false leaves out, too.
  mkIf = condition: content: {
    _type = "if";
    inherit condition content;
  };
  # Default and example are checked where nixpkgs would take them unseen.
  mkOption =
    option:
    all.checked "mkOption" {
      type = all.attrs;
      description = all.str;
      default = option.type;
      example = option.type;
    } option
    // {
      isOption = true;
    };
  mkEnableOption =
    what:
    mkOption {
      type = types.bool;
      default = false;
      description = "Whether to enable ${what}.";
    };
  types = {
    inherit (all)
      bool
      str
      nullOr
      listOf
      ;
    ints = { inherit (all.ints) unsigned; };
  };
}
