"""The report as a page that opens offline, or on paper.

    typeset.py --text results/report.md --style FILE.css|FILE.typ --out FILE.html|FILE.pdf

pandoc makes HTML with everything inside, or Typst, which is compiled to PDF. The same text gives
the same bytes. Exit: 0 written, 2 not written.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import pypandoc
import typst



def pandoc(arguments, text):
    """What pandoc prints for `text`, run in the folder that its paths are relative to."""
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "--wrap=none", *arguments],
        input=text, capture_output=True, text=True, check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"pandoc: {done.stderr.strip()}")
    return done.stdout


def html(text, style):
    return pandoc(
        ["--from=markdown", "--to=html5", "--standalone", "--embed-resources", "--toc",
         "--toc-depth=2", "--section-divs", f"--css={style}", "--columns=120"],
        text,
    ).encode()


def pdf(text, style):
    typeset = pandoc(["--from=markdown", "--to=typst", f"--template={style}", "--columns=120"], text)
    # Paths of figures are relative to the project, which is Typst's root here.
    with tempfile.NamedTemporaryFile("w", suffix=".typ", dir=".", encoding="utf-8") as file:
        file.write(typeset)
        file.flush()
        # The creation date is the same in every run.
        return typst.compile(file.name, format="pdf", timestamp=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["text", "style", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    write = {".html": html, ".pdf": pdf}.get(arguments.out.suffix)
    if write is None:
        print(f"typeset: --out {arguments.out} ends neither in .html nor in .pdf", file=sys.stderr)
        return 2
    try:
        made = write(arguments.text.read_text(encoding="utf-8"), arguments.style)
    except (OSError, RuntimeError) as error:
        print(f"typeset: {error}", file=sys.stderr)
        return 2
    # Both pages are made at the same time: each has a file of its own.
    partial = Path(f"{arguments.out}.partial")
    partial.write_bytes(made)
    partial.rename(arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
