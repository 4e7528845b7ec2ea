"""Whether a NixOS test's script is Python, uses no name that nobody defines, and calls machines by
methods that they have, with arguments of the types that these take.

    test_script.py SCRIPT NODE...
"""

import ast
import builtins
import sys

GIVEN = {"start_all", "subtest", "machine", "driver", "retry", "join_all", "log"}
# Those that ours use, as the manual of NixOS has them: the types of the arguments by place, of the
# first for all that follow, and of those by name.
METHODS = {
    "succeed": ((str, ...), {"timeout": int}),
    "wait_for_open_port": ((int, str), {"timeout": int}),
    "wait_for_unit": ((str, str), {"timeout": int}),
    "wait_until_succeeds": ((str, int), {"timeout": int}),
}


def unknown_names(tree, nodes):
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    defined = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    defined |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    defined |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = defined | GIVEN | set(nodes) | set(dir(builtins))
    return sorted({name.id for name in names if name.id not in known})


def type_of(node):
    """Of a literal; None where only a run would tell."""
    if isinstance(node, ast.Constant):
        return type(node.value)
    return str if isinstance(node, ast.JoinedStr) else None


def faults_of_call(call):
    places, named = METHODS[call.func.attr]
    for place, argument in enumerate(call.args):
        if places[-1] is not ... and place >= len(places):
            yield f"{call.func.attr} takes {len(places)} arguments"
            return
        expected = places[0] if places[-1] is ... else places[place]
        if type_of(argument) not in (None, expected):
            yield f"{call.func.attr} takes {expected.__name__}, not {ast.unparse(argument)}"
    for keyword in call.keywords:
        if keyword.arg not in named:
            yield f"{call.func.attr} has no argument {keyword.arg}"
        elif type_of(keyword.value) not in (None, named[keyword.arg]):
            yield f"{call.func.attr}: {keyword.arg} is not of type {named[keyword.arg].__name__}"


def faults(script, nodes):
    tree = ast.parse(script, "testScript")
    unknown = unknown_names(tree, nodes)
    if unknown:
        yield f"nobody defines {', '.join(unknown)}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr not in METHODS:
            yield f"a machine has no method {node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            yield from faults_of_call(node)


def main():
    script, nodes = sys.argv[1], sys.argv[2:]
    with open(script, encoding="utf-8") as file:
        found = list(faults(file.read(), nodes))
    if found:
        sys.exit("\n".join(f"testScript: {fault}" for fault in found))


if __name__ == "__main__":
    main()
