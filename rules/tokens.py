"""The words of a rule's text, and where it stops making sense: every syntax error is found here."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from ..trajectories.errors import RuleError
from .spelling import name_text
from .tree import MAX_CHARACTERS, MAX_LEVELS

COMPARISONS = frozenset({">", ">=", "<", "<=", "==", "!="})
WORDS = {"and": "&", "or": "|", "not": "~"}

_TOKEN = re.compile(
    r"""
    (?P<number> (?: [0-9]+ \.? [0-9]* | \. [0-9]+ ) (?: [eE] [+-]? [0-9]+ )? )
    | (?P<string> " (?: [^"\\] | \\. )* " | ' (?: [^'\\] | \\. )* ' )
    | (?P<name> (?: \w | [^\s\x00-\x7f] )+ )
    | (?P<symbol> [<>=!]= | [&|~(),<>?-] )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_ARITHMETIC = (
    "arithmetic is no part of a rule: record the result as a signal of its own, or add with total(a, b); "
    'a name that holds `{0}` is written signal("...")'
)
_STRANGERS = {
    "=": "`=` does not compare: write ==, or >= and <= with the = last",
    "!": "`!` does not negate: write ~",
    ".": 'a name that holds `.` is written signal("...")',
    '"': "this quote is never closed: end the name with the same quote",
    "'": "this quote is never closed: end the name with the same quote",
    **{sign: _ARITHMETIC.format(sign) for sign in "+*/%^@"},
}
_LOOKALIKES = {
    "≥": ">=", "≤": "<=", "≠": "!=", "＞": ">", "＜": "<", "∧": "&", "∨": "|", "¬": "~", "∞": "inf",
    "−": "-", "–": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "（": "(", "）": ")", "，": ",",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """One word: its text (``and`` is ``&``, a quoted name is unquoted) and where it begins."""

    kind: Literal["number", "string", "name", "symbol"]
    text: str
    at: int
    end: int

    @property
    def operand(self) -> bool:
        return self.kind != "symbol" or self.text == "?"


def fault(text: str, at: int, message: str) -> RuleError:
    """The error that points at one character of a rule's text."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    first = max(0, at - 60)
    before, after = line[first:at], line[at : at + 40]
    lead = "..." if first else ""
    width = sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else not unicodedata.combining(letter)
        for letter in lead + before
    )
    return RuleError(
        f"rule, character {at + 1}: {message}\n"
        f"  {lead}{before}{after}{'...' if len(line) > at + 40 else ''}\n"
        f"  {' ' * width}^"
    )


def tokens(text: str) -> list[Token]:
    """The tokens of a well-formed text.

    Raises
    ------
    RuleError
        Over ``MAX_CHARACTERS`` or ``MAX_LEVELS``, an unknown character, or a token where another is expected.
    """
    if len(text) > MAX_CHARACTERS:
        raise RuleError(f"the rule is {len(text):,} characters long: at most {MAX_CHARACTERS:,} are read")
    found: list[Token] = []
    at = _skip(text, 0)
    while at < len(text):
        found.append(_token(text, at))
        at = _skip(text, found[-1].end)
    if not found:
        raise RuleError("the rule is empty: write one, such as repeat(answer) & margin > 0.25")
    _check_levels(text, found)
    _check_order(text, found)
    return found


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    if match is None:
        letter = text[at]
        raise fault(text, at, _STRANGERS.get(letter, f"{letter!r} means nothing in a rule"))
    kind, word, end = match.lastgroup, match[0], match.end()
    if kind == "number":
        tail = re.compile(r"[\w.]*").match(text, end)
        if tail and tail[0]:
            word += tail[0]
            raise fault(text, at, f"`{word}` is no number; a signal of that name is written {name_text(word)}")
        return Token("number", word, at, end)
    if kind == "string":
        return Token("string", _unquoted(text, at, word), at, end)
    if kind == "symbol":
        return Token("symbol", word, at, end)
    if word in WORDS:
        return Token("symbol", WORDS[word], at, end)
    _check_name(text, at, word)
    return Token("name", word, at, end)


def _unquoted(text: str, at: int, word: str) -> str:
    body = word[1:-1]
    if word[0] == "'":
        body = re.sub(r'\\(.)|"', lambda m: {"'": "'", None: '\\"'}.get(m[1], m[0]), body, flags=re.DOTALL)
    try:
        name: str = json.loads(f'"{body}"', strict=False)
    except json.JSONDecodeError:
        raise fault(text, at, "this name has an escape that is none of JSON's: double each backslash") from None
    return name


def _check_name(text: str, at: int, word: str) -> None:
    if word in ("True", "False", "None"):
        raise fault(text, at, f"`{word}` is no part of a rule: a Boolean signal stands alone, as in done or ~done")
    if keyword.iskeyword(word):
        raise fault(text, at, f"`{word}` is a reserved word: a signal of that name is written {name_text(word)}")
    if not word.isidentifier():
        place = next(i for i in range(len(word)) if not word[: i + 1].isidentifier())
        letter = word[place]
        message = f"{letter!r} cannot stand in a bare name: such a name is written {name_text(word)}"
        if letter in _LOOKALIKES:
            message = f"`{letter}` means nothing in a rule: write {_LOOKALIKES[letter]}"
        raise fault(text, at + place, message)
    if not unicodedata.is_normalized("NFKC", word):
        raise fault(text, at, f"`{word}` has a second spelling in Unicode: to be exact, write {name_text(word)}")


def _check_levels(text: str, found: list[Token]) -> None:
    level, outer = 0, [0]
    for token in found:
        if token.kind != "symbol":
            continue
        if token.text == "(":
            outer.append(level := level + 1)
        elif token.text == "~":
            level += 1
        elif token.text == ")":
            if len(outer) > 1:
                outer.pop()
            level = outer[-1]
        elif token.text in "&|,":
            level = outer[-1]
        if level > MAX_LEVELS:
            raise fault(text, token.at, f"the rule nests deeper than {MAX_LEVELS} levels: write it flatter")


def _check_order(text: str, found: list[Token]) -> None:
    """Operands and operators take turns and brackets close, so that `ast` has nothing left to refuse."""
    before: Token | None = None
    opened: list[tuple[Token, bool]] = []
    operand_due = True
    for token in found:
        sign = "" if token.operand else token.text
        call = sign == "(" and before is not None and before.kind == "name"
        empty_call = sign == ")" and bool(opened) and opened[-1] == (before, True)
        if operand_due and not empty_call:
            _check_operand(text, token, sign, before)
            operand_due = sign in {"(", "~", "-"}
        elif call or sign in COMPARISONS or sign in {"&", "|"} or (sign == "," and opened and opened[-1][1]):
            operand_due = True
        elif sign == ")" and opened:
            operand_due = False
        else:
            raise fault(text, token.at, _surplus(token, sign))
        if sign == "(":
            opened.append((token, call))
        elif sign == ")":
            opened.pop()
        before = token
    if operand_due:
        raise fault(text, len(text.rstrip()), f"{_due(before)}, but the rule ends here")
    if opened:
        raise fault(text, opened[-1][0].at, "this bracket is never closed: add )")


def _check_operand(text: str, token: Token, sign: str, before: Token | None) -> None:
    after = before.text if before is not None and before.kind == "symbol" else ""
    if after == "-" and token.kind != "number" and (token.kind, token.text) != ("name", "inf"):
        raise fault(text, token.at, "only a number takes a sign: compare with the number on the other side")
    if sign == after and sign in {"&", "|"}:
        raise fault(text, token.at, f"write {sign} once")
    if sign in {"", "(", "-"} or (sign == "~" and after not in COMPARISONS):
        return
    raise fault(text, token.at, f"{_due(before)}, not `{token.text}`")


def _due(before: Token | None) -> str:
    if before is None:
        return "a rule is expected"
    if before.text in COMPARISONS or before.text == "-":
        return f"a number is expected after `{before.text}`"
    if before.text == ",":
        return "another argument is expected after `,`"
    return f"a rule is expected after `{before.text}`"


def _surplus(token: Token, sign: str) -> str:
    if sign == "-":
        return _ARITHMETIC.format("-")
    if sign == ")":
        return "this bracket was never opened: take it away"
    if sign == ",":
        return "a comma only stands between the arguments of a function: join rules with & or |"
    return f"a comparison, & or | is expected before `{token.text}`"
