"""Whether a NixOS test's script is Python and uses no name that nobody defines.

    test_script.py SCRIPT NODE...
"""

import ast
import builtins
import sys

GIVEN = {"start_all", "subtest", "machine", "driver", "retry", "join_all", "log"}


def main():
    script, nodes = sys.argv[1], sys.argv[2:]
    with open(script, encoding="utf-8") as file:
        tree = ast.parse(file.read(), "testScript")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    defined = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    defined |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    defined |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = defined | GIVEN | set(nodes) | set(dir(builtins))
    unknown = sorted({name.id for name in names if name.id not in known})
    if unknown:
        sys.exit(f"testScript: nobody defines {', '.join(unknown)}")


if __name__ == "__main__":
    main()
