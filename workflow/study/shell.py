"""What users say, as the shell takes it: each value is one word, whatever is in it."""

import shlex


def options(name, values):
    """An option for each value."""
    return " ".join(f"{name} {shlex.quote(value)}" for value in values)
