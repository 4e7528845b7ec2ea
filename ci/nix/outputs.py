"""The outputs that the flake promises, and those that `nix flake show --json` has.

    nix flake show --json | outputs.py      prints those it has, a line each
    outputs.py --wanted                     prints those it must have
"""

import json
import sys

SYSTEMS = ["x86_64-linux", "aarch64-linux"]
EVERYWHERE = {
    "packages": ["default", "onesided", "figures", "workflow", "harness-image", "analysis-image", "conformance"],
    "apps": ["default", "figures", "report", "topology", "doctor", "lab"],
    "devShells": ["default", "harness", "workflow", "analysis", "paper"],
    "checks": ["format", "scripts", "clippy", "tests", "docs", "workflow", "figures", "vm"],
}
ON_X86_64 = {"packages": ["lab-kernel", "lab-root", "lab-recipe"]}


def wanted():
    for kind, names in EVERYWHERE.items():
        for system in SYSTEMS:
            yield from (f"{kind}.{system}.{name}" for name in names)
    for kind, names in ON_X86_64.items():
        yield from (f"{kind}.x86_64-linux.{name}" for name in names)
    yield from (f"formatter.{system}" for system in SYSTEMS)
    yield "nixosModules.measuring-host"


def shown(tree, path=()):
    if "type" in tree and isinstance(tree["type"], str):
        yield ".".join(path)
        return
    for name, branch in tree.items():
        if isinstance(branch, dict):
            yield from shown(branch, (*path, name))


if __name__ == "__main__":
    print("\n".join(wanted() if sys.argv[1:] == ["--wanted"] else shown(json.load(sys.stdin))))
