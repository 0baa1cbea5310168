"""Rules that stop alike: one behaviour, named after the simplest of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..rules.expression import Rule
from ..trajectories.table import Ints, Trajectories
from .batch import Batch
from .figures import Figures
from .filled import atoms, texts
from .replay import chunks, states, stop_rounds


class Candidates:
    """Batches of rules as one long list; their rules are made only when asked for.

    Parameters
    ----------
    batches : sequence of Batch
    families : sequence of str
        The family of each batch.

    Attributes
    ----------
    figures : Figures
    texts : list of str
        Of each candidate.
    families : list of str
        The family of each.
    """

    def __init__(self, batches: Sequence[Batch], families: Sequence[str]) -> None:
        self.figures = Figures.concatenate([batch.figures for batch in batches])
        self.families: list[str] = []
        self.texts: list[str] = []
        self._rules = [batch.rules for batch in batches]
        self._starts = list(accumulate(map(len, self._rules), initial=0))
        for rules, family in zip(self._rules, families, strict=True):
            self.families += [family] * len(rules)
            self.texts += texts(rules)

    @cached_property
    def atoms(self) -> list[int]:
        """How many each has."""
        return [count for rules in self._rules for count in atoms(rules)]

    def __len__(self) -> int:
        return len(self.texts)

    def rule(self, index: int) -> Rule:
        """The rule of a candidate."""
        batch = bisect_right(self._starts, index) - 1
        return self._rules[batch][index - self._starts[batch]]


@dataclass(frozen=True, eq=False)
class Behaviours:
    """Candidates told apart by the rounds at which they stop the trajectories of a table.

    Attributes
    ----------
    index : (B,) int64
        The simplest candidate of each: fewest atoms, then text. Of one rule twice the first.
    equivalents : dict of int to tuple of str
        By that candidate the texts of the others, sorted; left out where there is none.
    """

    index: Ints
    equivalents: dict[int, tuple[str, ...]]


def behaviours(candidates: Candidates, t: Trajectories) -> Behaviours:
    """The behaviours of some candidates: their 128-bit sums propose which are alike, replay decides."""
    alone, groups = equal_columns(candidates.figures.behaviour)
    named = dict(_named(group, candidates) for group in _verified(groups, candidates, t))
    return Behaviours(
        index=np.concatenate([alone, np.array(list(named), dtype=np.int64)]),
        equivalents={index: others for index, others in named.items() if others},
    )


def equal_columns(words: NDArray[np.uint64]) -> tuple[Ints, list[list[int]]]:
    """Positions of the columns of a (2, K) array that no other equals, and of those that do in ascending groups."""
    order = np.lexsort(words[::-1])
    ordered = words[:, order]
    begins = np.concatenate([[0], np.flatnonzero((ordered[:, 1:] != ordered[:, :-1]).any(axis=0)) + 1])
    sizes = np.diff(begins, append=len(order))
    several = sizes > 1
    groups = [order[begin : begin + size].tolist() for begin, size in zip(begins[several], sizes[several], strict=True)]
    return order[begins[~several]], groups


def _verified(groups: list[list[int]], candidates: Candidates, t: Trajectories) -> Iterator[list[int]]:
    """The groups, split where equal sums met different stop rounds."""
    members = [(number, index) for number, group in enumerate(groups) for index in group]
    current, by_stops = 0, dict[bytes, list[int]]()  # of one group at a time: stop rounds are large
    for run in chunks(members, t):
        stops = stop_rounds(states([candidates.rule(index) for _, index in run], t), t.length)
        for (number, index), stop in zip(run, stops, strict=True):
            if number != current:
                yield from by_stops.values()
                current, by_stops = number, {}
            by_stops.setdefault(stop.tobytes(), []).append(index)
    yield from by_stops.values()


def _named(group: list[int], candidates: Candidates) -> tuple[int, tuple[str, ...]]:
    first = {candidates.texts[index]: index for index in reversed(group)}  # the first family keeps a rule
    name = min(first, key=lambda text: (candidates.atoms[first[text]], text))
    return first[name], tuple(sorted(text for text in first if text != name))
