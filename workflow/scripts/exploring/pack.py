"""Tables as columns of bytes, which the page reads as typed arrays.

What is packed is a header in JSON, behind its length in four bytes, and then the columns one after
another, all compressed (raw DEFLATE) and in base64. The header has for each table its count of rows and
for each column its name, kind, first byte and length. Kinds, all little-endian:

    codes    a number for each row, of 1, 2 or 4 bytes: which of the column's `levels`; 0 is missing, 1 the first
    numbers  8 bytes for each row, all first bytes before all second ones; NaN is missing
    texts    UTF-8, a line for each row
    hashes   32 bytes for each row; zeros are missing
    lists    4 bytes for each row, how many; then 4 bytes for each entry
"""

import base64
import json
import math
import re
import struct
import zlib
from array import array

from reporting.reading import Refusal


def little(kind, values):
    """The bytes of an array; these machines and the page's are little-endian."""
    return array(kind, values).tobytes()


def coded(levels):
    """The type of array that has a number for each of the levels and for a missing one."""
    if len(levels) < 256:
        return "B"
    return "H" if len(levels) < 65536 else "I"


class Codes:
    """Few different values: each row says which."""

    def __init__(self, name, values, levels, **about):
        self.about = {"name": name, "kind": "codes", "levels": levels, **about}
        place = {level: index for index, level in enumerate(levels, 1)}
        place[None] = 0
        self.bytes = little(coded(levels), (place[value] for value in values))


class Numbers:
    def __init__(self, name, values, **about):
        self.about = {"name": name, "kind": "numbers", **about}
        plain = struct.pack(f"<{len(values)}d", *(math.nan if value is None else value for value in values))
        self.bytes = b"".join(plain[byte::8] for byte in range(8))


class Texts:
    """Any text in one line."""

    def __init__(self, name, values, **about):
        self.about = {"name": name, "kind": "texts", **about}
        self.bytes = "\n".join((value or "").replace("\n", " ") for value in values).encode()


class Hashes:
    def __init__(self, name, values, **about):
        self.about = {"name": name, "kind": "hashes", **about}
        for value in values:
            if value is not None and not re.fullmatch("[0-9a-f]{64}", value):
                raise Refusal(f"{name} is '{value}', which is no SHA-256")
        self.bytes = b"".join(bytes.fromhex(value or "").ljust(32, b"\0") for value in values)


class Lists:
    """Places of rows of another table."""

    def __init__(self, name, values, **about):
        self.about = {"name": name, "kind": "lists", **about}
        entries = [entry for value in values for entry in value]
        self.bytes = little("I", (len(value) for value in values)) + little("I", entries)


def packed(about, tables):
    """`tables`, by name (count of rows, columns), and `about`, whatever else the page is to know."""
    at, content, header = 0, [], {"about": about, "tables": {}}
    for name, (count, columns) in tables.items():
        described = []
        for column in columns:
            described.append({**column.about, "at": at, "bytes": len(column.bytes)})
            content.append(column.bytes)
            at += len(column.bytes)
        header["tables"][name] = {"count": count, "columns": described}
    head = json.dumps(header, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()
    return base64.b64encode(compressed(struct.pack("<I", len(head)) + head + b"".join(content))).decode()


def compressed(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
