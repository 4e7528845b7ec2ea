"""What is known of a drawn figure: its picture, and the text file that stands beside it."""

import html
import re

NOTHING = "Nothing to draw:"


def described(path):
    """Title, what is seen, and the notes of a figure: the paragraphs of the text beside its picture."""
    beside = path.with_suffix(".txt")
    if not beside.exists():
        return [path.stem.replace("-", " ").capitalize(), "", []]
    paragraphs = [part.strip() for part in beside.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    title, seen, *notes = [*paragraphs, "", ""][: max(len(paragraphs), 2)]
    return [title, seen, notes]


# Lines of text in a picture.
LINE = re.compile(r"<text[^>]*>([^<]*)</text>")


def words_in(picture):
    """What is printed in a picture, without its line breaks."""
    lines = LINE.findall(picture.read_text(encoding="utf-8"))
    return " ".join(html.unescape(" ".join(lines)).split())


def figure_files(paths, name):
    """The drawings of one figure, by table, with what is seen in each. `empty`: why there is none.

    A note that is `printed` stands in the picture, too.
    """
    files = []
    for path in paths:
        if path.stem == name:
            title, seen, notes = described(path)
            printed = words_in(path) if notes else ""
            files.append({
                "table": path.parent.name, "path": str(path), "alt": seen or title,
                "notes": [{"text": note, "printed": " ".join(note.split()) in printed} for note in notes],
                "empty": title if title.startswith(NOTHING) else "",
            })
    return files


def figure_title(paths, name):
    """What a figure is called where it is drawn."""
    titles = [described(path)[0] for path in paths if path.stem == name]
    titles = [title for title in titles if not title.startswith(NOTHING)]
    return titles[0] if titles else name.replace("-", " ").capitalize()
