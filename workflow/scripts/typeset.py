"""The report as a page that opens offline, or on paper.

    typeset.py --text results/report.md --style FILE.css|FILE.typ --out FILE.html|FILE.pdf
               [--figures results/figures]

pandoc makes HTML with everything inside, or Typst, which is compiled to PDF. The same text gives
the same bytes. Exit: 0 written, 2 not written.
"""

import argparse
import re
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


# Nothing in the page may run, and nothing in it comes from elsewhere.
POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:;"
    " style-src 'unsafe-inline'\">"
)

# Neither HTML nor TeX in the text is more than text. What is written for a picture is its alternative
# text, and no caption: pictures have their own.
FROM = "--from=markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-implicit_figures"

PICTURE = re.compile(r"!\[(?:\\.|[^\]\\])*\]\(((?:\\.|[^)\\])*)\)", re.DOTALL)


def foreign(text, folder):
    """Pictures of the text that are not of the folder of figures."""
    root = folder.resolve()
    paths = [path.replace("\\", "") for path in PICTURE.findall(text)]
    return [path for path in paths if root not in Path(path).resolve().parents]


FILTER = Path(__file__).resolve().parents[2] / "paper" / "report.lua"

# Notes of a figure or of a list, which a reader opens. Nothing runs for it.
NOTES = re.compile(r'<div class="notes">(.*?)</div>', re.DOTALL)


def folded(page):
    return NOTES.sub(r"<details><summary>details</summary>\1</details>", page)


def html(text, style):
    page = pandoc(
        [FROM, f"--variable=header-includes:{POLICY}", "--to=html5", "--standalone", "--embed-resources", "--toc",
         "--toc-depth=2", "--section-divs", f"--css={style}", "--columns=120"],
        text,
    )
    return folded(page).encode()


def pdf(text, style):
    typeset = pandoc(
        [FROM, "--to=typst", f"--template={style}", f"--lua-filter={FILTER}", "--columns=120"], text
    )
    # Paths of figures are relative to the project, which is Typst's root here.
    with tempfile.NamedTemporaryFile("w", suffix=".typ", dir=".", encoding="utf-8") as file:
        file.write(typeset)
        file.flush()
        # The creation date is the same in every run. Before 0.15 there is no such argument, and no date.
        try:
            return typst.compile(file.name, format="pdf", timestamp=0)
        except TypeError:
            return typst.compile(file.name, format="pdf")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["text", "style", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--figures", type=Path, default=Path("results/figures"))
    arguments = parser.parse_args()
    write = {".html": html, ".pdf": pdf}.get(arguments.out.suffix)
    if write is None:
        print(f"typeset: --out {arguments.out} ends neither in .html nor in .pdf", file=sys.stderr)
        return 2
    try:
        text = arguments.text.read_text(encoding="utf-8")
        if others := foreign(text, arguments.figures):
            raise RuntimeError(f"pictures from outside of {arguments.figures}: {', '.join(others)}")
        made = write(text, arguments.style)
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
