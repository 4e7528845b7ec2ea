"""Every mistake of one kind that can be made in a Nix file: a name misspelt, or a value mistyped.

A name that something else gives or takes is misspelt: what is set in an attribute set, what is
selected of one, what `with` brings into scope, and a path. A value is mistyped: a string becomes 1,
a number a string, true, false and null a string or 1, a list a string.

Not made: a misspelt name of a `let` or what it inherits, of a parameter, of a builtin that needs no
`builtins.`, and of `inherit NAME` without a source. Each is an undefined variable, which Nix finds
wherever it stands. Nor are names inside strings, such as commands of a script.
"""

import re
from typing import NamedTuple

GLOBAL = "true false null import map toString throw abort removeAttrs baseNameOf dirOf derivation builtins".split()
KEYWORDS = "let in rec with inherit if then else assert or".split()
TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*|/\*.*?\*/)
      | (?P<path>\.{1,2}(?:/[\w.+-]+)+)
      | (?P<name>[A-Za-z_][\w'-]*)
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<open>\$\{|\"|'')
      | (?P<sign>\.\.\.|\+\+|//|->|==|!=|<=|>=|&&|\|\||[-+*/<>!?:;,.@=(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)


class Unreadable(Exception):
    """A Nix file is of a form that is not known here."""


class Token(NamedTuple):
    kind: str  # name, string, number, path, sign; "end" after a string's text
    text: str
    begin: int
    end: int


class Mistake(NamedTuple):
    file: str
    line: str  # the source's own, where it begins
    old: str
    new: str
    begin: int
    end: int

    @property
    def key(self):
        return (self.file, f"{shortened(self.old)} -> {self.new}", self.line)

    def applied(self, text):
        return text[: self.begin] + self.new + text[self.end :]


def shortened(text):
    words = " ".join(text.split())
    return words if len(words) <= 40 else words[:37] + "..."


def misspelt(name):
    """Another identifier: its last letter doubled; of a quoted one the last inside the quotes."""
    quote = '"' if name.endswith('"') else ""
    bare = name.removesuffix('"')
    return bare + bare[-1] + quote


class Reader:
    """Tokens of a Nix text. A string is one token, which those of its interpolations follow."""

    def __init__(self, text, name):
        self.text, self.name, self.tokens = text, name, []
        end = self.read(0, closing=None)
        if end != len(text):
            self.refuse(end)

    def refuse(self, at):
        line = self.text.count("\n", 0, at) + 1
        raise Unreadable(f"{self.name}:{line}: cannot be read as Nix: {self.text[at:at + 20]!r}; mend ci/nix/mistakes.py")

    def add(self, kind, begin, end):
        self.tokens.append(Token(kind, self.text[begin:end], begin, end))

    def read(self, at, closing):
        """Tokens from AT to the brace that closes an interpolation; returns where it is."""
        depth = 0
        while at < len(self.text):
            found = TOKEN.match(self.text, at) or self.refuse(at)
            kind, sign = found.lastgroup, found.group()
            if sign == closing and depth == 0:
                return at
            depth += {"{": 1, "}": -1}.get(sign, 0)
            if kind != "open":
                if kind != "space":
                    self.add(kind, at, found.end())
                at = found.end()
            elif sign == "${":
                at = self.interpolation(at)
            else:
                at = self.string(at, sign)
        return at

    def interpolation(self, at):
        self.add("sign", at, at + 2)
        at = self.read(at + 2, closing="}")
        self.add("sign", at, at + 1)
        return at + 1

    def string(self, begin, quote):
        place, at = len(self.tokens), begin + len(quote)
        escapes = ("\\",) if quote == '"' else ("'''", "''$", "''\\")
        while not self.text.startswith(quote, at) or self.text.startswith(escapes, at):
            if at >= len(self.text):
                self.refuse(begin)
            if self.text.startswith(escapes, at):
                at += 2 if quote == '"' else 3
            elif self.text.startswith("${", at):
                at = self.interpolation(at)
            else:
                at += 1
        end = at + len(quote)
        self.tokens.insert(place, Token("string", self.text[begin:end], begin, end))
        self.add("end", end, end)
        return end


class Finder:
    """Walks the tokens, notes the names that are bound and each mistake.

    What `with` brings is what is bound nowhere in the file; hence all is walked twice.
    """

    def __init__(self, text, name):
        self.text, self.name, self.bound, self.found = text, name, set(), []
        self.tokens = Reader(text, name).tokens
        for _ in range(2):
            self.found = []
            self.expression(0, len(self.tokens))

    def sign(self, at):
        token = self.tokens[at] if 0 <= at < len(self.tokens) else None
        return token.text if token and token.kind in ("sign", "name") else ""

    def closing(self, at):
        """The token that closes the bracket at AT."""
        depth = 0
        for place in range(at, len(self.tokens)):
            depth += {"{": 1, "${": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(self.sign(place), 0)
            if depth == 0:
                return place
        raise Unreadable(f"{self.name}: a bracket is not closed")

    def is_parameters(self, at):
        return self.sign(at) == "{" and (self.sign(self.closing(at) + 1) in (":", "@") or self.sign(at - 1) == "@")

    def after_string(self, at):
        """The token after the string at AT."""
        end = self.tokens[at].end
        while not (self.tokens[at].kind == "end" and self.tokens[at].begin == end):
            at += 1
        return at + 1

    def names_set(self, at):
        """The names before a `=` in the braces at AT, and in those inside them."""
        inside = range(at + 1, self.closing(at))
        return {self.tokens[place].text for place in inside if self.sign(place + 1) == "="}

    def parameters(self, at):
        """The names of the parameters in the braces at AT, which are bound; returns what follows."""
        end = self.closing(at)
        self.bound |= {token.text for token in self.tokens[at + 1 : end] if token.kind == "name"}
        return end + 1

    def note(self, token, new):
        begin = self.text.rfind("\n", 0, token.begin) + 1
        line = self.text[begin:].split("\n", 1)[0].strip()
        self.found.append(Mistake(self.name, line, token.text, new, token.begin, token.end))

    def misspell(self, token):
        if token.text[-1].isalnum() or token.text.endswith('"'):
            self.note(token, misspelt(token.text))

    def attribute_path(self, at, local):
        """What is set, from AT to its `=`; the first name of a `let` is bound."""
        if local:
            self.bound.add(self.sign(at))
        while self.sign(at) != "=":
            token = self.tokens[at]
            if token.kind in ("name", "string") and not local and "${" not in token.text:
                self.misspell(token)
            if token.kind == "string":
                at = self.after_string(at)
            elif token.text == "${":
                self.expression(at + 1, self.closing(at))
                at = self.closing(at) + 1
            else:
                at += 1
            local = False
        return at + 1

    def bindings(self, at, closing, local):
        while self.sign(at) != closing:
            if self.sign(at) == "inherit":
                at = self.inherited(at + 1, local)
            else:
                at = self.expression(self.attribute_path(at, local), None) + 1
        return at

    def inherited(self, at, local):
        has_source = self.sign(at) == "("
        if has_source:
            self.expression(at + 1, self.closing(at))
            at = self.closing(at) + 1
        while self.sign(at) != ";":
            if local:
                self.bound.add(self.sign(at))
            elif has_source:
                self.misspell(self.tokens[at])
            at += 1
        return at + 1

    def expression(self, at, end):
        """From AT to END, or to the `;`, or the `in` of a `let`, that ends it; returns where that is."""
        while at != end:
            token, sign = self.tokens[at], self.sign(at)
            if end is None and sign == ";":
                return at
            if sign == "let":
                at = self.bindings(at + 1, "in", local=True) + 1
            elif sign in ("with", "assert"):
                at = self.expression(at + 1, None) + 1
            elif self.is_parameters(at):
                at = self.parameters(at)
            elif token.kind == "name" and self.sign(at + 1) in (":", "@"):
                self.bound.add(token.text)
                at += 1
            elif sign == "{":
                if self.sign(at - 1) == "rec":
                    self.bound |= self.names_set(at)
                at = self.bindings(at + 1, "}", local=False) + 1
            elif sign in ("[", "(", "${"):
                if sign == "[":
                    last = self.tokens[self.closing(at)]
                    self.note(Token("list", self.text[token.begin : last.end], token.begin, last.end), '"x"')
                self.expression(at + 1, self.closing(at))
                at = self.closing(at) + 1
            else:
                self.atom(at, token)
                at += 1
        return at

    def atom(self, at, token):
        if token.kind == "string":
            self.note(token, "1")
        elif token.kind == "number":
            self.note(token, f'"{token.text}"')
        elif token.kind == "path":
            self.misspell(token)
        elif token.kind == "name":
            if self.sign(at - 1) in (".", "?"):
                self.misspell(token)
            elif token.text in ("true", "false", "null"):
                self.note(token, "1" if token.text == "null" else f'"{token.text}"')
            elif token.text not in {*KEYWORDS, *GLOBAL, *self.bound}:
                self.misspell(token)


def mistakes(text, name):
    return sorted(Finder(text, name).found, key=lambda mistake: (mistake.begin, -mistake.end))
