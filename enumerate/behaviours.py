"""Rules that stop alike: one behaviour, named after the simplest of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ..rules.expression import Rule
from ..trajectories.table import Trajectories
from .batch import Batch
from .figures import Figures
from .filled import named
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
    atoms : list of int
        How many each has.
    families : list of str
        The family of each.
    """

    def __init__(self, batches: Sequence[Batch], families: Sequence[str]) -> None:
        self.figures = Figures.concatenate([batch.figures for batch in batches])
        self.families: list[str] = []
        self.texts: list[str] = []
        self.atoms: list[int] = []
        self._rules = [batch.rules for batch in batches]
        self._starts = list(accumulate(map(len, self._rules), initial=0))
        for rules, family in zip(self._rules, families, strict=True):
            texts, atoms = named(rules)
            self.families += [family] * len(texts)
            self.texts += texts
            self.atoms += atoms

    def __len__(self) -> int:
        return len(self.texts)

    def rule(self, index: int) -> Rule:
        """The rule of a candidate."""
        batch = bisect_right(self._starts, index) - 1
        return self._rules[batch][index - self._starts[batch]]


@dataclass(frozen=True)
class Behaviour:
    """Rules that stop every trajectory of a table at the same round.

    Attributes
    ----------
    index : int
        The simplest of the candidates: fewest atoms, then text. Of one rule twice the first.
    equivalents : tuple of str
        The texts of the others, sorted.
    """

    index: int
    equivalents: tuple[str, ...]


def behaviours(candidates: Candidates, t: Trajectories) -> list[Behaviour]:
    """The behaviours of some candidates: their 128-bit sums propose which are alike, replay decides."""
    groups = equal_columns(candidates.figures.behaviour)
    alone = [Behaviour(group[0], ()) for group in groups if len(group) == 1]
    alike = _verified([group for group in groups if len(group) > 1], candidates, t)
    return [*alone, *(_named(group, candidates) for group in alike)]


def equal_columns(words: NDArray[np.uint64]) -> list[list[int]]:
    """Positions of equal columns of a (2, K) array, each group in ascending order."""
    order = np.lexsort(words[::-1])
    ordered = words[:, order]
    begins = np.flatnonzero((ordered[:, 1:] != ordered[:, :-1]).any(axis=0)) + 1
    positions = order.tolist()
    ends = [0, *begins.tolist(), len(positions)]
    return [positions[begin:end] for begin, end in pairwise(ends)]


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


def _named(group: list[int], candidates: Candidates) -> Behaviour:
    first = {candidates.texts[index]: index for index in reversed(group)}  # the first family keeps a rule
    name = min(first, key=lambda text: (candidates.atoms[first[text]], text))
    return Behaviour(index=first[name], equivalents=tuple(sorted(text for text in first if text != name)))
