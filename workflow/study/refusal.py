"""A mistake of the user's, in one sentence that says what to do."""

from difflib import get_close_matches


class Refusal(Exception):
    """Something that was asked for and cannot be; the message names it and what there is."""


def unknown(what, name, known):
    """The refusal of a name that is none of those known, with the one that was probably meant."""
    near = get_close_matches(str(name), known, n=1)
    meant = f", did you mean '{near[0]}'?" if near else ""
    return Refusal(f"{what} '{name}' is unknown{meant} (there are: {', '.join(known) or 'none'})")
