"""The factors of a run, as the schema of its configuration tells them: no program need be built."""

import json
from pathlib import Path

from .refusal import Refusal, unknown

SCHEMA = "data/schema/run-configuration.json"


def factors(path=SCHEMA):
    """The words that each factor may be, by its name; none where it is a number or a text."""
    schema = json.loads(Path(path).read_text(encoding="utf-8"))
    properties = schema["properties"].items()
    return {
        name: words(schema, about) for name, about in properties if about.get("x-role") == "factor"
    }


def words(schema, about):
    """The words that a property may be."""
    if "$ref" in about:
        return words(schema, schema["$defs"][about["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in about:
        return [word for part in about["anyOf"] for word in words(schema, part)]
    choices = [choice["const"] for choice in about.get("oneOf", []) if "const" in choice]
    return choices or about.get("enum", [])


def check(key, selections):
    """Stops with a Refusal at a selection, as `operation=read,write`, of what there cannot be."""
    known = {**factors(), "replicate": []}
    for selection in selections:
        name, levels = (part.strip() for part in selection.split("=", 1))
        if name not in known:
            raise unknown(f"config: {key}: factor", name, sorted(known))
        for level in levels.split(","):
            if known[name] and level.strip() not in known[name]:
                refusal = unknown(f"level of {name}", level.strip(), known[name])
                raise Refusal(f"config: {key}: {refusal}")
