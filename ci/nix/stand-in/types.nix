# Types: what a value must be, and in which words that is said. Those that nix/ uses are lib.types;
# the others are of the arguments of builders and the options of NixOS.
let
  b = builtins;
  type = description: check: { inherit description check; };
in
rec {
  bool = type "boolean" b.isBool;
  str = type "string" b.isString;
  int = type "integer" b.isInt;
  ints.unsigned = type "unsigned integer" (value: b.isInt value && value >= 0);
  ints.positive = type "positive integer" (value: b.isInt value && value > 0);
  port = type "port" (value: b.isInt value && value > 0 && value < 65536);
  # A path, or a string that names one in the store.
  path = type "path" (value: b.isPath value || b.isString value);
  package = type "package" (value: b.isAttrs value && value.type or null == "derivation");
  attrs = type "attribute set" b.isAttrs;
  enum = values: type "one of ${toString values}" (value: b.elem value values);
  either =
    one: other:
    type "${one.description} or ${other.description}" (value: one.check value || other.check value);
  nullOr = inner: type "null or ${inner.description}" (value: value == null || inner.check value);
  listOf =
    inner: type "list of ${inner.description}" (value: b.isList value && b.all inner.check value);
  attrsOf =
    inner:
    type "attribute set of ${inner.description}" (
      value: b.isAttrs value && b.all inner.check (b.attrValues value)
    );
  # Attributes of these names and types. Its words are better than "not of type": it throws.
  record = what: fields: type what (value: b.isAttrs value && b.seq (checked what fields value) true);

  # VALUE, where it has no attribute but FIELDS, each of its type.
  checked =
    what: fields: value:
    let
      unknown = b.filter (name: !(fields ? ${name})) (b.attrNames value);
      wrong = b.filter (name: !(fields.${name}.check value.${name})) (b.attrNames value);
    in
    if unknown != [ ] then
      throw "${what} has no argument ${toString unknown}"
    else if wrong != [ ] then
      throw "${what}: ${b.head wrong} is not of type ${fields.${b.head wrong}.description}"
    else
      value;
  # One value, of no record.
  typed =
    what: expected: value:
    if expected.check value then value else throw "${what} is not of type ${expected.description}";
}
