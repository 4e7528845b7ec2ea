"""One line about the page: where it is, whose runs it has, and which runs of the plan it lacks."""

from reporting.reading import rows

# The study's runs, and those of a model; all others are the reader's own.
STUDY, MODEL = "published", "simulated"


def line(page, sources, left_out):
    """`sources` counts the runs of each source; `left_out` are lists of runs that could not be done."""
    own = {source: count for source, count in sources.items() if source not in (STUDY, MODEL)}
    parts = [f"{sources[STUDY]:,} published runs"]
    if own:
        counts = ", ".join(f"{count:,} {source}" for source, count in own.items())
        parts.append(f"{sum(own.values()):,} of your own ({counts})")
    else:
        parts.append("none of your own")
    if sources[MODEL]:
        parts.append(f"{sources[MODEL]:,} of a model")
    return f"{page}: {', '.join(parts)}{lacking(left_out)}"


def lacking(left_out):
    """How many runs of the plans were left out, and where the reasons are; nothing where none was."""
    found = {path: len(rows(path, ["run_id", "why"])) for path in left_out}
    some = [path for path, count in found.items() if count]
    if not some:
        return ""
    # Beside the list of what is left out there is the table of what is left.
    planned = sum(found.values()) + sum(len(rows(path.with_name("runs.csv"), ["run_id"])) for path in left_out)
    more = f" and {len(some) - 1} more of that name" if len(some) > 1 else ""
    return f"; {sum(found.values()):,} of {planned:,} planned runs were left out, for the reasons in {some[0]}{more}"
