# The functions of nixpkgs' lib that the flake uses, written from their documented behaviour.
let
  b = builtins;
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
        if b.pathExists path then path else throw "lib.fileset.unions: ${toString path} does not exist"
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

  # Of modules, what nixos.nix understands.
  mkIf = condition: content: if condition then content else { };
  mkOption = option: option // { isOption = true; };
  mkEnableOption =
    what:
    mkOption {
      type = types.bool;
      default = false;
      description = "Whether to enable ${what}.";
    };
  types =
    let
      type = description: check: { inherit description check; };
    in
    rec {
      bool = type "boolean" b.isBool;
      str = type "string" b.isString;
      ints.unsigned = type "unsigned integer" (value: b.isInt value && value >= 0);
      nullOr = inner: type "null or ${inner.description}" (value: value == null || inner.check value);
      listOf =
        inner: type "list of ${inner.description}" (value: b.isList value && b.all inner.check value);
    };
}
