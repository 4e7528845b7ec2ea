"""Reading tables and telling numbers."""

import csv
import gzip

# A value of a claim may have all runs of a study behind it, named in one cell.
csv.field_size_limit(1 << 24)


class Refusal(Exception):
    """Input that no report can be made of."""


def rows(path, needed):
    """The rows of a CSV table as dictionaries; a missing column is refused."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            absent = [name for name in needed if name not in (table.fieldnames or [])]
            if absent:
                raise Refusal(f"{path}: lacks the columns {', '.join(absent)}")
            return list(table)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error


def number(text):
    """A number as people read it: three significant digits, grouped."""
    if text == "":
        return ""
    value = float(text)
    if value != value or abs(value) == float("inf"):
        raise Refusal(f"'{text}' is no number that a claim can have")
    magnitude = abs(value)
    if magnitude >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
