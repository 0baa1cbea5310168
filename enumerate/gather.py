"""The candidates of a plan worked out: blocks for workers, and what came back put together in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from ..rules.expression import Rule
from ..trajectories.table import Ints, Trajectories
from .batch import Batch, Swept, told_bytes
from .census import Census
from .checkpoint import Arrays
from .expand import Plan, Shape, Stream
from .figures import Figures
from .filled import Filled
from .ledger import Ledger
from .masks import Lookup
from .memory import Room, advice
from .pairs import ALL_KEPT
from .sieve import Kept, Sieve, whole
from .sources import Source, bare, part
from .sums import columns
from .sweeps import sweep
from .workers import ALONE, Workers

FIGURES = tuple(each.name for each in fields(Figures))
RUN = 2**21  # states that a worker holds at once, one or two bytes each
SIFTED = 2**15  # candidates whose figures it holds at once
BLOCK = 2**26  # states that a worker goes through before it hands over what it kept
OPENINGS = 10  # and how many times as long as making its masks that takes at least


@dataclass(frozen=True, eq=False)
class Block:
    """A run of a stream, for one worker."""

    source: Source
    book: Ledger
    whole: bool

    def __call__(self) -> Kept:
        """The candidates that are kept, numbered from the begin of the run."""
        size, lookup = len(self.source), Lookup.of(columns(self.book))
        if self.whole:
            return whole(self._sums(lookup, 0, size))
        sieve = Sieve.of(self.book)
        for begin in range(0, size, SIFTED):
            sieve.add(self._sums(lookup, begin, min(begin + SIFTED, size)), begin)
        return sieve.kept()

    def _sums(self, lookup: Lookup, begin: int, stop: int) -> Ints:
        run = max(1, RUN // len(self.book.quality))
        starts = range(begin, stop, run)
        return np.concatenate(
            [lookup.sums(*self.source.states(start, min(start + run, stop))) for start in starts], axis=1
        )


@dataclass(frozen=True, eq=False)
class Sweep:
    """A shape whose exact cuts one worker goes through."""

    shape: Shape
    t: Trajectories
    book: Ledger
    room: Room | None = None

    def __call__(self) -> Swept:
        """Its cuts with their figures."""
        return sweep(self.shape.rule, self.t, self.book, self.shape.max_cells, room=self.room)


def tasks(
    plan: Plan, t: Trajectories, book: Ledger, chunk: int | None = None, *, workers: Workers = ALONE
) -> Iterator[tuple[int, int, Block | Sweep]]:
    """What there is to do, in order: for which item of the plan, how many candidates, and the work itself.

    Sweeps that the workers make at once share the memory that there is now, so that what fits does not hang on which
    of them comes first; on a cluster each looks where it runs.
    """
    light = bare(t)
    pairs = sum(shape.rule.holes > 1 for shape in plan.shapes)
    room = None if workers.backend == "dask" else Room.here(max(1, min(workers.abreast, pairs)))
    for number, item in enumerate(plan.items):
        if isinstance(item, Shape):
            yield number, 1, Sweep(item, light, book, room)
            continue
        for source in item.sources:
            size = chunk or max(1, BLOCK // len(t), OPENINGS * source.opening)
            for begin in range(0, len(source), size):
                stop = min(begin + size, len(source))
                yield number, stop - begin, Block(part(source, begin, stop), book, item.whole)


class Gathered:
    """What the tasks of a plan gave, taken in their order.

    Parameters
    ----------
    plan : Plan
    book : Ledger

    Attributes
    ----------
    census : Census
        Behaviours of the candidates that were not all kept.
    """

    def __init__(self, plan: Plan, book: Ledger) -> None:
        self._plan = plan
        self._book = book
        self._swept: dict[int, Swept] = {}
        self._whole: dict[int, list[Kept]] = {}
        self._sieves: dict[int, Sieve] = {}
        self._tried: dict[int, int] = {}
        self.census = Census()

    @cached_property
    def _room(self) -> Room:
        return Room.here()

    def add(self, number: int, found: Kept | Swept) -> None:
        """Take in what the next task of an item gave."""
        item = self._plan.items[number]
        begin = self._tried.get(number, 0)
        self._tried[number] = begin + found.tried
        if isinstance(found, Swept):
            if len(found.rules) < found.tried:
                self.census.add(found.census.words)
            self._swept[number] = replace(found, census=Census())
            self._refuse_too_many()
        elif isinstance(item, Stream) and item.whole:
            self._whole.setdefault(number, []).append(found)
        else:
            self.census.add(found.census.words)
            self._sieves.setdefault(number, Sieve.of(self._book)).join(replace(found, census=Census()), begin)

    def _refuse_too_many(self) -> None:
        """Refuse more candidates out of exact cuts than the table of a search can hold."""
        shapes = {number: item.rule for number, item in enumerate(self._plan.items) if isinstance(item, Shape)}
        others = sum(len(item) for item in self._plan.items if isinstance(item, Stream) and item.whole)
        letters = max(len(str(rule)) for rule in shapes.values())
        kept = {number: len(swept.rules) for number, swept in self._swept.items()}
        needed = told_bytes(others + sum(kept.values()), letters)
        if needed <= self._room.size:
            return

        def capped(cap: int) -> int:
            # of more pairs of cuts than a few a choice is kept, which may be another one then
            known = (
                max(kept[n], ALL_KEPT if rule.holes > 1 else 0) if n in kept else cap for n, rule in shapes.items()
            )
            return told_bytes(others + sum(min(cap, most) for most in known), letters)

        cap = self._room.most(max(kept.values()), capped)
        what = "the exact cuts of some shapes" if len(kept) > 1 else f"the exact cuts of `{shapes[next(iter(kept))]}`"
        raise self._room.refusal(f"{what} make {sum(kept.values()):,} candidates", needed=needed, way_out=advice(cap))

    def saved(self) -> Arrays:
        """All that was taken in, as arrays."""
        found: Arrays = {"tried": np.array(list(self._tried.items())), "census": self.census.words}
        for number, swept in self._swept.items():
            found[f"{number}.cuts"] = swept.rules.cuts
            found.update({f"{number}.{name}": getattr(swept.figures, name) for name in FIGURES})
        for number, parts in self._whole.items():
            found[f"{number}.sums"] = np.concatenate([each.sums for each in parts], axis=1)
        for number, sieve in self._sieves.items():
            found[f"{number}.position"], found[f"{number}.sums"] = sieve.kept().position, sieve.kept().sums
        return found

    def restore(self, found: Arrays) -> None:
        """Take in what was saved, before anything else."""
        self.census.add(found["census"])
        for number, tried in found["tried"].tolist():
            self._tried[number] = tried
            item = self._plan.items[number]
            if isinstance(item, Shape):
                figures = Figures(**{name: found[f"{number}.{name}"] for name in FIGURES})
                rules = Filled(item.rule, found[f"{number}.cuts"])
                self._swept[number] = Swept(rules, figures, tried, Census())
            elif item.whole:
                self._whole[number] = [whole(found[f"{number}.sums"])]
            else:
                kept = Kept(
                    position=found[f"{number}.position"], sums=found[f"{number}.sums"], tried=tried, census=Census()
                )
                self._sieves[number] = Sieve.of(self._book)
                self._sieves[number].join(kept, 0)

    def batches(self) -> list[Batch]:
        """The candidates that are kept, one batch for each item of the plan."""
        return [self._batch(number, item) for number, item in enumerate(self._plan.items)]

    def _batch(self, number: int, item: Stream | Shape) -> Batch:
        if isinstance(item, Shape):
            return self._swept[number]
        if item.whole:
            kept = whole(np.concatenate([each.sums for each in self._whole[number]], axis=1))
        else:
            kept = self._sieves[number].kept()
        return Batch.kept(rules_of(item, kept.position), kept, self._book)


def rules_of(stream: Stream, positions: Ints) -> Sequence[Rule]:
    """The candidates at some ascending positions of a stream."""
    if len(stream.sources) == 1:
        return stream.sources[0].rules(positions)
    ends = np.cumsum([0, *map(len, stream.sources)])
    found: list[Rule] = []
    for source, begin, end in zip(stream.sources, ends[:-1], ends[1:], strict=True):
        inside = positions[np.searchsorted(positions, begin) : np.searchsorted(positions, end)]
        found.extend(source.rules(inside - begin))
    return found
