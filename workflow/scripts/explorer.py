"""One page that shows every run: results/explorer.html, which opens offline.

    explorer.py --tables NAME=FOLDER [--tables ...] [--raw NAME=FOLDER ...] --claims results/claims.csv
                --cells results/claim-cells.csv.gz --schema data/schema
                --immaterial figures/lib/immaterial-factors.csv --software figures/lib/software-sources.csv
                --views paper/explorer/views.toml --page paper/explorer --out results/explorer.html
                [--left-out results/plan/PROFILE/LEVEL/EXPERIMENT/left-out.csv ...]

`--tables` are folders with a runs.csv.gz; `--raw` names the folder of the records behind one, seen from
the page, which links those that are there, and has of them hosts and the numbers behind doubts. stdout has one line: the page and how many runs it has. It also says how many planned runs are in the
lists `--left-out` of `onesided expand`. The same tables give the same bytes. Exit: 0 written, 2 not written.
"""

import argparse
import sys
import tomllib
from collections import Counter
from pathlib import Path

from exploring import pack, records, summary, tables
from exploring.page import page
from reporting.reading import Refusal


def pair(text):
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=FOLDER")
    return name, Path(folder)


def read_views(path):
    """The views to begin with: titles and addresses."""
    views = tomllib.loads(path.read_text(encoding="utf-8")).get("view", [])
    for view in views:
        if sorted(view) != ["address", "title"]:
            raise Refusal(f"{path}: a view has a title and an address, not {', '.join(sorted(view))}")
    return views


def content(arguments, columns, folders, runs):
    """What the page is to hold."""
    place = tables.places(runs)
    about = {
        "immaterial": tables.immaterial(arguments.immaterial, columns),
        "software": tables.software(arguments.software, columns),
        "doubts": tables.doubts(arguments.schema / "doubts.csv"),
        "views": read_views(arguments.views),
        "raw": {name: str(folder) for name, folder in arguments.raw},
    }
    windows = tables.read_windows(folders, place)
    recorded = records.read_records(runs, dict(arguments.raw), arguments.out.parent)
    of_runs = tables.run_columns(runs, columns, {run for run, _, _ in windows}) + records.record_columns(runs, recorded)
    return pack.packed(about, {
        "runs": (len(runs), of_runs),
        "windows": tables.window_columns(windows),
        "doubts": records.doubt_columns(recorded),
        "claims": tables.claim_columns(arguments.claims),
        "cells": tables.cell_columns(arguments.cells, place),
    })


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=pair, action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--raw", type=pair, action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--left-out", type=Path, action="append", default=[], metavar="CSV")
    for name in ["claims", "cells", "schema", "immaterial", "software", "views", "page", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args(arguments)


def main(arguments):
    try:
        columns = tables.described(arguments.schema)
        folders = dict(arguments.tables)
        runs = tables.read_runs(folders, columns)
        if not runs:
            raise Refusal(f"there is no run in {', '.join(map(str, folders.values()))}")
        said = summary.line(arguments.out, Counter(run["source"] for run in runs), arguments.left_out)
        arguments.out.write_text(page(arguments.page, content(arguments, columns, folders, runs)), encoding="utf-8")
        print(said)
    except (Refusal, OSError, tomllib.TOMLDecodeError) as error:
        print(f"explorer: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
