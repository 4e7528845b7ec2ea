"""Text of tables in a Markdown page: shown as it is, whatever it says.

A table may come from anywhere. Nothing in one may become a tag, a picture, a link, a formula or an
attribute of the page: every character that pandoc could read as more than itself has a backslash in
front. Words between backquotes stay code, in which pandoc reads nothing.
"""

import re
import unicodedata

CODE = re.compile(r"(`[^`|]+`)")
# Of a number, not of a name or a range.
MINUS = re.compile(r"(?<![\w.%-])-(?=[0-9])")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~^$@&!])")


class Markdown(str):
    """Text that is Markdown, made by the template."""


def printable(text):
    """The text in one line, without characters that control terminals or its direction."""
    return "".join(" " if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp") else each for each in text)


def plain(value):
    """What a template's expression puts into the page."""
    if not isinstance(value, str) or isinstance(value, Markdown):
        return value
    parts = CODE.split(printable(value))
    return "".join(
        part if index % 2 else SPECIAL.sub(r"\\\1", MINUS.sub("\u2212", part)) for index, part in enumerate(parts)
    )


def code(value):
    """Text for the inside of backquotes."""
    return Markdown(printable(str(value)).replace("`", ""))
