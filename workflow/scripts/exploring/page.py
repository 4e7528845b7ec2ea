"""The page itself: one file with the library, the program and the data in it.

Nothing in it comes from elsewhere, and nothing runs but the two scripts whose hashes its policy names.
What tables say is never part of the page's text: it is packed data, which the program shows as text.
"""

import base64
import hashlib
from pathlib import Path

import vl_convert

from reporting.reading import Refusal

# In this order: each uses what stands before it.
PARTS = ["unpack.js", "runs.js", "sources.js", "state.js", "alike.js", "own.js", "lines.js", "chart.js", "parts.js",
         "doubts.js", "details.js", "claims.js", "controls.js", "start.js"]
LIBRARY = "window.vegaEmbed = vegaEmbed;"


def library():
    """Vega-Lite and what it needs, from the wheel of vl-convert."""
    return vl_convert.javascript_bundle(LIBRARY)


def program(folder):
    parts = (f"// {name}\n{(folder / name).read_text(encoding='utf-8')}" for name in PARTS)
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(scripts, style):
    """Who may do what in the page: these scripts run, this style applies, and nothing is loaded."""
    return (f"default-src 'none'; script-src {' '.join(digest(script) for script in scripts)}; "
            f"style-src {digest(style)}; img-src data:; base-uri 'none'; form-action 'none'")


def page(folder, data):
    """The page of the sources in `folder` with `data` in it."""
    folder = Path(folder)
    scripts = [library(), program(folder)]
    style = (folder / "style.css").read_text(encoding="utf-8")
    for script in scripts:
        if "</script" in script.lower():
            raise Refusal("a script of the explorer has </script> in it, which would end it")
    text = (folder / "page.html").read_text(encoding="utf-8")
    for mark, content in [("POLICY", policy(scripts, style)), ("STYLE", style), ("LIBRARY", scripts[0]),
                          ("PROGRAM", scripts[1]), ("DATA", data)]:
        before, found, after = text.partition(f"{{{{{mark}}}}}")
        if not found:
            raise Refusal(f"{folder / 'page.html'}: there is no {{{{{mark}}}}}")
        text = before + content + after
    return text
