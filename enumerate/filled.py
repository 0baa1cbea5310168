"""Many fillings of one shape: rules made when asked for, their texts without making them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import overload

import numpy as np

from ..rules.expression import And, AtLeast, Expression, Or, Rule, Total
from ..rules.spelling import number_text
from ..trajectories.table import Floats, Ints

_QUOTED_OR_HOLE = re.compile(r'"(?:[^"\\]|\\.)*"|\?')


@dataclass(frozen=True, eq=False)
class Filled(Sequence[Rule]):
    """Rules made when asked for: a shape with its cuts filled in.

    Attributes
    ----------
    shape : Rule
    cuts : (K, H) float64
        The cuts of each, for each `?` in the order of the text.
    """

    shape: Rule
    cuts: Floats

    @classmethod
    def crossed(cls, shape: Rule, cuts: Sequence[Floats], positions: Ints) -> Filled:
        """Some of the rules that the cuts of each `?` cross to, numbered with the last `?` running fastest."""
        each = np.unravel_index(positions, [len(values) for values in cuts])
        return cls(shape, np.stack([values[chosen] for values, chosen in zip(cuts, each, strict=True)], axis=1))

    def __len__(self) -> int:
        return len(self.cuts)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> Filled: ...
    def __getitem__(self, index: int | slice) -> Rule | Filled:
        if isinstance(index, slice):
            return Filled(self.shape, self.cuts[index])
        return self.shape.fill(self.cuts[index].tolist())

    def texts(self) -> list[str]:
        """The text of each rule."""
        if not keeps_order(self.shape):
            return [str(rule) for rule in self]
        begin, *rest = pieces(self.shape)
        texts = [begin] * len(self)
        for column, piece in zip((self.cuts + 0.0).T.tolist(), rest, strict=True):
            texts = [f"{text}{number_text(cut)}{piece}" for text, cut in zip(texts, column, strict=True)]
        return texts

    def atoms(self) -> list[int]:
        """How many atoms each has."""
        if not keeps_order(self.shape):
            return [rule.atoms for rule in self]
        return [self.shape.atoms] * len(self)


def texts(rules: Sequence[Rule]) -> list[str]:
    """The text of each rule; quick for fillings of one shape."""
    return rules.texts() if isinstance(rules, Filled) else [str(rule) for rule in rules]


def atoms(rules: Sequence[Rule]) -> list[int]:
    """How many atoms each rule has; quick for fillings of one shape."""
    return rules.atoms() if isinstance(rules, Filled) else [rule.atoms for rule in rules]


def pieces(shape: Expression) -> list[str]:
    """The text of a shape, parted at every `?`."""
    text = str(shape)
    at = [found.start() for found in _QUOTED_OR_HOLE.finditer(text) if found[0] == "?"]
    return [text[begin + 1 : end] for begin, end in zip([-1, *at], [*at, len(text)], strict=True)]


def keeps_order(shape: Expression) -> bool:
    """Whether a shape's text keeps its order, and its parts, whatever cuts are filled in.

    Parts that share their text up to a `?` are sorted, or told as one, by what is filled in.
    """
    if isinstance(shape, And | Or | AtLeast | Total) and any(
        _tied(one, other) for one, other in combinations(shape.operands, 2) if one.holes or other.holes
    ):
        return False
    return all(keeps_order(part) for part in shape.operands if part.holes)


def _tied(one: Expression, other: Expression) -> bool:
    (first, *others), (second, *rest) = pieces(one), pieces(other)
    return (bool(others) and second.startswith(first)) or (bool(rest) and first.startswith(second))
