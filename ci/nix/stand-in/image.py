"""A docker-archive of one layer: the store paths of a graph file, and links to the contents.

    image.py GRAPH ROOT OUT

ROOT is what fakeRootCommands left. The environment has `configurationPath`, `contents` and `image`. The same paths give the same bytes.
"""

import hashlib
import io
import json
import os
import sys
import tarfile


def clean(member):
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mtime = 1
    return member


def store_paths(graph):
    with open(graph, encoding="utf-8") as file:
        lines = {line.strip() for line in file}
    return sorted(line for line in lines if line.startswith(os.environ["NIX_STORE"] + "/"))


def links(content):
    """Links at the root to the files of a content, as the real images have."""
    for folder, _, names in sorted(os.walk(content)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            member = tarfile.TarInfo(os.path.relpath(path, content))
            member.type = tarfile.SYMTYPE
            member.linkname = path
            yield clean(member)


def layer_of(graph, root):
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in store_paths(graph):
            archive.add(path, arcname=path.lstrip("/"), filter=clean)
        for content in os.environ.get("contents", "").split():
            for member in links(content):
                archive.addfile(member)
        archive.add(root, arcname=".", filter=clean)
    return layer.getvalue()


def main():
    graph, root, out = sys.argv[1:]
    layer = layer_of(graph, root)
    digest = hashlib.sha256(layer).hexdigest()
    with open(os.environ["configurationPath"], encoding="utf-8") as file:
        configuration = json.load(file)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": "1970-01-01T00:00:01Z",
            "config": configuration,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        },
        sort_keys=True,
    ).encode()
    name = hashlib.sha256(config).hexdigest() + ".json"
    manifest = [{"Config": name, "RepoTags": [os.environ["image"]], "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in (
            (f"{digest}/layer.tar", layer),
            (name, config),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(clean(member), io.BytesIO(content))


if __name__ == "__main__":
    main()
