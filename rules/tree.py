"""A frozen tree whose text is its identity: what every term and rule has in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, Self

from ..trajectories.errors import RuleError

MAX_CHARACTERS = 10_000
MAX_LEVELS = 50


class Node:
    """One expression and its parts.

    Attributes
    ----------
    text : str
        The canonical text.
    operands : tuple of Node
        The direct parts, in the order of the text; empty for a leaf.
    level : int
        How deep brackets and ``~`` nest in the text.
    holes : int
        Number of ``?``.
    """

    __slots__ = ("holes", "level", "operands", "text")
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __array_ufunc__ = None  # so that numpy's scalars leave `np.float64(1) < signal("x")` to us

    text: str
    operands: tuple[Node, ...]
    level: int
    holes: int

    @classmethod
    def _build(
        cls,
        text: str,
        operands: tuple[Node, ...] = (),
        *,
        level: int | None = None,
        hole: bool = False,
        **fields: object,
    ) -> Self:
        deepest = max([part.level for part in operands], default=0) if level is None else level
        if deepest > MAX_LEVELS:
            raise RuleError(f"the rule nests deeper than {MAX_LEVELS} levels: write it flatter")
        if len(text) > MAX_CHARACTERS:
            raise RuleError(f"the rule's text is {len(text):,} characters long: at most {MAX_CHARACTERS:,} are read")
        self = object.__new__(cls)
        put = object.__setattr__
        put(self, "text", text)
        put(self, "operands", operands)
        put(self, "level", deepest)
        put(self, "holes", sum([part.holes for part in operands], int(hole)))
        for name, value in fields.items():
            put(self, name, value)
        return self

    @classmethod
    def _function(cls, arguments: str, operands: tuple[Node, ...] = (), **fields: object) -> Self:
        level = 1 + max((part.level for part in operands), default=0)
        return cls._build(arguments, operands, level=level, hole=False, **fields)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"rules are frozen: {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"rules are frozen: {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def signals(self) -> frozenset[str]:
        """Names of the signals that are read."""
        return frozenset().union(*(part.signals for part in self.operands))

    @property
    def needs_answer(self) -> bool:
        """Whether the answer is read."""
        return any(part.needs_answer for part in self.operands)

    @property
    def atoms(self) -> int:
        """Leaves of the tree: the atoms of a rule, each operand of a total counted as one."""
        return sum(part.atoms for part in self.operands) or 1

    def _filled(self, cuts: Iterator[float]) -> Any:
        """The tree with its holes filled, left to right; parts without any are kept as they are."""
        if not self.holes:
            return self
        return type(self)(*(_filled(getattr(self, name), cuts) for name in self.__match_args__))


def _filled(part: object, cuts: Iterator[float]) -> object:
    if isinstance(part, Node):
        return part._filled(cuts)
    return tuple([_filled(each, cuts) for each in part]) if isinstance(part, tuple) else part
