"""Families of candidates: rule shapes built from the signals of a table, and the cuts that fill their `?`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..rules.expression import (
    HOLE,
    And,
    Compare,
    Flag,
    Or,
    Round,
    Rule,
    Signal,
    Streak,
    Term,
    Total,
)
from ..trajectories.table import Floats, Trajectories
from .combinatorics import subsets
from .combined import Combination
from .cuts import Cuts, Quantiles

DEFAULT_CUTS = Quantiles(10)
LONGEST_STREAK = 4


@dataclass(frozen=True)
class Family:
    """Candidates of one kind.

    Attributes
    ----------
    name : str
        Written beside each candidate.
    shapes : tuple of Rule, or Combination
        Rules; a `?` in one stands for every cut, several are crossed.
    cuts : Cuts
        What the `?` stand for, each by the values of its own term.
    max_cells : int or None
        The most candidates of one shape. Where there are more, fewer cuts are taken; listed ones are refused.
    """

    name: str
    shapes: tuple[Rule, ...] | Combination
    cuts: Cuts = DEFAULT_CUTS
    max_cells: int | None = None


@dataclass(frozen=True)
class Atoms:
    """What a table offers to build rules from, each in sorted order.

    Attributes
    ----------
    terms : tuple of Term
        The numeric signals.
    flags : tuple of Rule
        The Boolean signals.
    votes : tuple of Term
        The numeric signals whose known values lie within 0..1: in a total they weigh at most like a Boolean.
    streaks : tuple of Rule
        `repeat(answer)` and longer streaks; empty when no column has the role of the answer.
    rounds : int
    """

    terms: tuple[Term, ...]
    flags: tuple[Rule, ...]
    votes: tuple[Term, ...]
    streaks: tuple[Rule, ...]
    rounds: int

    @property
    def repeat(self) -> tuple[Rule, ...]:
        """`repeat(answer)`, where it can be asked."""
        return self.streaks[:1]

    @property
    def high(self) -> tuple[Rule, ...]:
        """A signal is high, one for each: `signal > ?`, or the Boolean signal itself."""
        return (*(above(term) for term in self.terms), *self.flags)

    @property
    def all(self) -> tuple[Rule, ...]:
        """The answer repeats, or a signal is high."""
        return (*self.repeat, *self.high)


def atoms(t: Trajectories, without: Collection[str] = ()) -> Atoms:
    """The atoms of a table, some signals left out."""
    names = [name for name in sorted(t.signals) if name not in without]
    terms = tuple(Signal(name) for name in names if name not in t.booleans)
    longest = min(t.rounds, LONGEST_STREAK)
    return Atoms(
        terms=terms,
        flags=tuple(Flag(name) for name in names if name in t.booleans),
        votes=tuple(term for term in terms if _within_0_and_1(t.signals[term.name][t.recorded])),
        streaks=() if t.answer is None else tuple(Streak(k) for k in range(2, longest + 1)),
        rounds=t.rounds,
    )


def _within_0_and_1(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(((known >= 0) & (known <= 1)).all())


def above(term: Term) -> Rule:
    """`term > ?`"""
    return Compare(term, ">", HOLE)


def below(term: Term) -> Rule:
    """`term < ?`"""
    return Compare(term, "<", HOLE)


def fixed(a: Atoms) -> Iterator[Rule]:
    """`round >= k` for every k."""
    for k in range(1, a.rounds + 1):
        yield Compare(Round(), ">=", k)


def threshold(a: Atoms) -> Iterator[Rule]:
    """One signal, high or low."""
    for term in a.terms:
        yield above(term)
        yield below(term)
    yield from a.flags


def conjunctions(a: Atoms) -> Combination:
    """Every non-empty subset of atoms, all of them true."""
    return Combination("and", a.all)


def disjunctions(a: Atoms) -> Combination:
    """Every non-empty subset of atoms, one of them true."""
    return Combination("or", a.all)


def or_of_ands(a: Atoms) -> Combination:
    """Every grouping of every subset of atoms: one group must be true throughout."""
    return grouped(a.all)


def grouped(parts: Sequence[Rule]) -> Combination:
    """The groupings of some atoms as an OR of ANDs."""
    return Combination("or_of_ands", tuple(parts))


def at_least(a: Atoms) -> Combination:
    """k of n atoms, between one of them (their OR) and all of them (their AND)."""
    return Combination("at_least", a.all)


def guard(a: Atoms) -> Iterator[Rule]:
    """The answer repeats and a signal vouches for it."""
    for streak in a.streaks:
        for high in a.high:
            yield And((streak, high))


def round_aware(a: Atoms) -> Iterator[Rule]:
    """A signal is enough at round 1; later the answer must repeat."""
    for repeat in a.repeat:
        for high in a.high:
            yield Or((And((Compare(Round(), "==", 1), high)), repeat))


def soft_total(a: Atoms) -> Iterator[Rule]:
    """Votes between 0 and 1 add up: two and more of the repeat, Boolean signals and signals within 0..1."""
    for subset in subsets((*a.repeat, *a.flags, *a.votes), smallest=2):
        yield above(Total(subset))


def give_up(a: Atoms) -> Iterator[Rule]:
    """A signal is still low after k rounds: more will not help."""
    for k in range(2, a.rounds):
        for term in a.terms:
            yield And((below(term), Compare(Round(), ">=", k)))


FAMILIES: Mapping[str, Callable[[Atoms], Iterable[Rule]]] = {
    "fixed": fixed,
    "threshold": threshold,
    "and": conjunctions,
    "or": disjunctions,
    "or_of_ands": or_of_ands,
    "at_least": at_least,
    "guard": guard,
    "round_aware": round_aware,
    "soft_total": soft_total,
    "give_up": give_up,
}
