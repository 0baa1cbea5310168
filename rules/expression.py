"""What a stopping rule is: a frozen expression tree, in canonical form from the moment it is built.

The constructors are the canonical form: each returns the canonical node for its arguments, which need not be
of its own class (``And((a, a))`` is ``a``, ``Not(margin > 1)`` is ``margin <= 1``). So equal rules have equal
text, and text decides equality, hash and id.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any, ClassVar, Final, Literal, NoReturn, Self

from ..trajectories.errors import RuleError
from .spelling import name_text, number, number_text, shown, whole
from .tree import Node

MAX_ROUNDS = 1_000_000


class Hole(enum.Enum):
    """A cut still to be chosen, written ``?``."""

    HOLE = "?"


HOLE: Final = Hole.HOLE

Operator = Literal[">", ">=", "<", "<=", "==", "!="]
OPPOSITE: Final[dict[Operator, Operator]] = {
    ">": "<=",
    ">=": "<",
    "<": ">=",
    "<=": ">",
    "==": "!=",
    "!=": "==",
}


class Expression(Node):
    """A term or a rule: what ``&``, ``|`` and ``~`` combine."""

    __slots__ = ()
    operands: tuple[Expression, ...]

    def __and__(self, other: object) -> Rule:
        return And((as_rule(self), as_rule(other)))

    def __rand__(self, other: object) -> Rule:
        return And((as_rule(other), as_rule(self)))

    def __or__(self, other: object) -> Rule:
        return Or((as_rule(self), as_rule(other)))

    def __ror__(self, other: object) -> Rule:
        return Or((as_rule(other), as_rule(self)))

    def __invert__(self) -> Rule:
        return Not(as_rule(self))

    def __bool__(self) -> NoReturn:
        raise RuleError(
            f"`{self}` has no truth value before it meets a round: combine rules with &, | and ~, "
            "not with and, or, not, if or a chained comparison"
        )


class Term(Expression):
    """A number at each round, or missing; comparing it with a number makes a rule."""

    __slots__ = ()

    def __gt__(self, cut: float | Hole) -> Rule:
        return Compare(self, ">", cut)

    def __ge__(self, cut: float | Hole) -> Rule:
        return Compare(self, ">=", cut)

    def __lt__(self, cut: float | Hole) -> Rule:
        return Compare(self, "<", cut)

    def __le__(self, cut: float | Hole) -> Rule:
        return Compare(self, "<=", cut)

    def __eq__(self, other: object) -> Any:
        """A rule when ``other`` is a number; between terms, whether they are the same term."""
        if isinstance(other, Expression):
            return isinstance(other, Term) and self.text == other.text
        return Compare(self, "==", other) if isinstance(other, Real | Hole) else NotImplemented

    def __ne__(self, other: object) -> Any:
        if isinstance(other, Expression):
            return not isinstance(other, Term) or self.text != other.text
        return Compare(self, "!=", other) if isinstance(other, Real | Hole) else NotImplemented

    __hash__ = Expression.__hash__

    def __repr__(self) -> str:
        return f"<term {self.text}>"


class Rule(Expression):
    """True, false or unknown at each round; it fires where it is definitely true."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.text == other.text

    __hash__ = Expression.__hash__

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    @property
    def id(self) -> str:
        """The first 12 hex digits of the sha256 of the canonical text."""
        return id_of(self.text)

    def fill(self, cuts: Sequence[float]) -> Rule:
        """The rule with its holes filled, left to right in the canonical text.

        Raises
        ------
        RuleError
            When there are not as many cuts as holes.
        """
        if len(cuts) != self.holes:
            raise RuleError(f"`{self}` takes one cut for each of its {self.holes} holes (?), not {len(cuts)}")
        filled: Rule = self._filled(iter(cuts))
        return filled


def id_of(text: str) -> str:
    """The id of the rule of a canonical text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def as_rule(value: object) -> Rule:
    """A rule as it is, and a signal as the Boolean signal of that name.

    Raises
    ------
    RuleError
        For anything else.
    """
    if isinstance(value, Rule):
        return value
    if isinstance(value, Signal):
        return Flag(value.name)
    if isinstance(value, Term):
        raise RuleError(f"`{value}` is a number where a rule is expected: compare it, as in `{value} > 0.5`")
    raise RuleError(
        f"{shown(value)} stands where a rule is expected: in Python, & and | bind before comparisons, "
        'so write (signal("x") > 0.25) & ...'
    )


def as_term(value: object) -> Term:
    """A term as it is.

    Raises
    ------
    RuleError
        For a rule, and for anything else.
    """
    if isinstance(value, Term):
        return value
    if isinstance(value, Rule):
        raise RuleError(f"`{value}` is a rule where a number is expected: total(...) counts it as 0 or 1")
    raise RuleError(f'{shown(value)} stands where a term is expected, such as signal("margin")')


def _name(name: object) -> str:
    if not isinstance(name, str) or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise RuleError(f"the name of a signal must be valid text, not {shown(name)}")
    return name


class Signal(Term):
    """The value of a signal at this round."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        text = name_text(_name(name))
        return cls._build(text, level=int(text != name), name=name)

    @property
    def signals(self) -> frozenset[str]:
        return frozenset({self.name})


class Round(Term):
    """The number of this round, from 1."""

    __slots__ = ()

    def __new__(cls) -> Self:
        return cls._build("round")


class Cost(Term):
    """What has been spent up to and including this round."""

    __slots__ = ()

    def __new__(cls) -> Self:
        return cls._build("cost")


class _OfTerm(Term):
    __slots__ = ("term",)
    __match_args__ = ("term",)
    _word: ClassVar[str]
    term: Term

    def __new__(cls, term: Term) -> Self:
        return cls._function(f"{cls._word}({as_term(term)})", (term,), term=term)


class Change(_OfTerm):
    """This round's value minus that of the round before; missing where either is."""

    __slots__ = ()
    _word = "change"


class SoFarMax(_OfTerm):
    """The largest known value up to this round."""

    __slots__ = ()
    _word = "so_far_max"


class SoFarMin(_OfTerm):
    """The smallest known value up to this round."""

    __slots__ = ()
    _word = "so_far_min"


class Clip(Term):
    """A value kept within ``low``..``high``."""

    __slots__ = ("high", "low", "term")
    __match_args__ = ("term", "low", "high")
    term: Term
    low: float
    high: float

    def __new__(cls, term: Term, low: float, high: float) -> Self:
        low, high = number(low, "the low bound of clip"), number(high, "the high bound of clip")
        bounds = f"{number_text(low)}, {number_text(high)}"
        if low > high:
            raise RuleError(f"clip needs its low bound first, not {bounds}")
        return cls._function(f"clip({as_term(term)}, {bounds})", (term,), term=term, low=low, high=high)


class Total(Term):
    """The sum of numbers and rules, a rule counting 0 or 1; missing if any operand is missing or unknown."""

    __slots__ = ()
    __match_args__ = ("operands",)

    def __new__(cls, operands: Iterable[Expression]) -> Self:
        # A Boolean signal is 0 or 1 as a number too, and its text is the same.
        parts = [Signal(part.name) if isinstance(part, Flag) else part for part in operands]
        ordered = tuple(sorted((p if isinstance(p, Rule) else as_term(p) for p in parts), key=str))
        if not ordered:
            raise RuleError("total needs at least one operand")
        return cls._function(f"total({', '.join(map(str, ordered))})", ordered)


class Compare(Rule):
    """A term against a cut; unknown where the term is missing."""

    __slots__ = ("cut", "op", "term")
    __match_args__ = ("term", "op", "cut")
    term: Term
    op: Operator
    cut: float | Hole

    def __new__(cls, term: Term, op: Operator, cut: object) -> Self:
        if op not in tuple(OPPOSITE):  # a tuple also takes what cannot be hashed
            raise RuleError(f"{shown(op)} is no comparison: one of {' '.join(OPPOSITE)}")
        if isinstance(cut, Expression):
            raise RuleError(f"`{as_term(term)} {op} {cut}`: a term is compared with a number, not with `{cut}`")
        value = HOLE if cut is HOLE else number(cut, f"the cut of `{as_term(term)} {op} ...`")
        written = "?" if isinstance(value, Hole) else number_text(value)
        text = f"{as_term(term)} {op} {written}"
        return cls._build(text, (term,), hole=value is HOLE, term=term, op=op, cut=value)

    def _filled(self, cuts: Iterator[float]) -> Any:
        if not self.holes:
            return self
        term = self.term._filled(cuts)
        return _compared(term, self.op, next(cuts)) if self.cut is HOLE else Compare(term, self.op, self.cut)


@lru_cache(maxsize=2**14, typed=True)
def _compared(term: Term, op: Operator, cut: float) -> Compare:
    # the same few hundred comparisons make up the many thousand rules of a search
    return Compare(term, op, cut)


class Flag(Rule):
    """A Boolean signal; unknown where it is missing."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        text = name_text(_name(name))
        return cls._build(text, level=int(text != name), name=name)

    @property
    def signals(self) -> frozenset[str]:
        return frozenset({self.name})


class Streak(Rule):
    """The last ``k`` answers are present and equal; two-valued. ``repeat(answer)`` is the streak of 2."""

    __slots__ = ("k",)
    __match_args__ = ("k",)
    k: int

    def __new__(cls, k: int) -> Self:
        k = whole(k, "the length of a streak", 1, MAX_ROUNDS)
        return cls._function("repeat(answer)" if k == 2 else f"streak(answer, {k})", k=k)

    @property
    def needs_answer(self) -> bool:
        return True


class Missing(Rule):
    """The term has no value at this round; two-valued."""

    __slots__ = ("term",)
    __match_args__ = ("term",)
    term: Term

    def __new__(cls, term: Term) -> Self:
        return cls._function(f"missing({as_term(term)})", (term,), term=term)


class _Group(Rule):
    """Operands flattened, sorted by text, without doubles save those with holes: each hole is its own cut."""

    __slots__ = ()
    __match_args__ = ("operands",)
    _sign: ClassVar[str]
    operands: tuple[Rule, ...]

    def __new__(cls, operands: Iterable[Expression]) -> Rule:  # type: ignore[misc]
        flat: list[Rule] = []
        for part in map(as_rule, operands):
            flat.extend(part.operands if isinstance(part, cls) else [part])
        kept = [part for part in dict.fromkeys(flat) if not part.holes] + [part for part in flat if part.holes]
        if not kept:
            raise RuleError(f"a rule joined by {cls._sign} needs at least one operand")
        if len(kept) == 1:
            return kept[0]
        ordered = tuple(sorted(kept, key=str))
        texts = [f"({part})" if isinstance(part, _Group) else str(part) for part in ordered]
        level = max(part.level + isinstance(part, _Group) for part in ordered)
        return cls._build(f" {cls._sign} ".join(texts), ordered, level=level)


class And(_Group):
    """True when every operand is, false when one is false."""

    __slots__ = ()
    _sign = "&"


class Or(_Group):
    """True when one operand is, false when every operand is false."""

    __slots__ = ()
    _sign = "|"


class AtLeast(Rule):
    """True when ``k`` operands are, false when fewer than ``k`` could be. Equal operands count each."""

    __slots__ = ("k",)
    __match_args__ = ("k", "operands")
    k: int
    operands: tuple[Rule, ...]

    def __new__(cls, k: int, operands: Iterable[Expression]) -> Self:
        ordered = tuple(sorted(map(as_rule, operands), key=str))
        if not ordered:
            raise RuleError("at_least needs at least one rule after its number")
        k = whole(k, f"the number that at_least asks of its {len(ordered)} rules", 1, len(ordered))
        return cls._function(f"at_least({k}, {', '.join(map(str, ordered))})", ordered, k=k)


class Not(Rule):
    """The negation, pushed down until it meets an atom that has no opposite of its own.

    Each step keeps what is unknown unknown: ``~(x > c)`` is ``x <= c``, De Morgan's laws hold in Kleene
    logic, and at_least(k) of n is false when n - k + 1 operands are.
    """

    __slots__ = ("rule",)
    __match_args__ = ("rule",)
    rule: Rule

    def __new__(cls, rule: Expression) -> Rule:  # type: ignore[misc]
        rule = as_rule(rule)
        match rule:
            case Not():
                return rule.rule
            case Compare():
                return Compare(rule.term, OPPOSITE[rule.op], rule.cut)
            case And():
                return Or(map(Not, rule.operands))
            case Or():
                return And(map(Not, rule.operands))
            case AtLeast():
                return AtLeast(len(rule.operands) - rule.k + 1, map(Not, rule.operands))
            case _:
                return cls._build(f"~{rule}", (rule,), level=rule.level + 1, rule=rule)
