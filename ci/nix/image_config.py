"""Whether a streamed image (a docker-archive) is labelled and does not run as root.

    image_config.py PROGRAM     a package of nix/images.nix: it writes the archive
"""

import io
import json
import subprocess
import sys
import tarfile

LABELS = ["title", "version", "revision", "licenses"]


def main():
    done = subprocess.run([sys.argv[1]], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))[0]
        config = json.load(archive.extractfile(manifest["Config"]))["config"]
    wrong = [f"no label {name}" for name in LABELS if f"org.opencontainers.image.{name}" not in config["Labels"]]
    if config.get("User", "0").split(":")[0] in ("", "0", "root"):
        wrong.append("it runs as root")
    if not config.get("Entrypoint"):
        wrong.append("it has no entry point")
    if wrong:
        sys.exit(f"{manifest['RepoTags'][0]}: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
