"""A rule at work: one trajectory, one round at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, SupportsFloat

from ..trajectories.answers import normalise as normalised
from ..trajectories.errors import RuleError
from ..trajectories.nearest import listing, nearest
from ..trajectories.roles import Normaliser
from .arrays import check_names, flags
from .evaluate import Decision, Observed, decisions, require_cuts
from .expression import Cost, Expression, Rule
from .spelling import shown

if TYPE_CHECKING:
    from ..trajectories.calibration import Calibrator


class _Left(Enum):
    OUT = "left out"


LEFT_OUT: Final = _Left.OUT  # None is an observation: a missing value
BEFORE_THE_FIRST: Final = Decision(0, None, stop=False)


class Stopper:
    """Decides live whether a process stops, as replay does on its record.

    Parameters
    ----------
    rule : Rule
    calibrators : sequence of Calibrator
        Those of calibrated signals: each is worked out from its raw signal, which is observed in its place.
    cell : str
        The configuration that runs, for the calibrators.
    normalise : {"robust", "squad", "tasr", "exact"}
        How answers are compared.
    ignore : collection of str
        Names that may be observed although the rule does not read them.
    cost_is_round : bool
        Whether one round costs one, so that the cost is known and not observed.

    Raises
    ------
    RuleError
        When the rule has a cut still to be chosen, takes a calibrated signal as true or false, or reads a
        signal named ``answer`` or ``cost``.
    CalibrationError
        When a calibrator that is needed has no fit for the cell.

    Examples
    --------
    >>> stopper = Stopper((signal("margin") > 0.25) & repeat("answer"))
    >>> stopper.observe(answer="Paris", margin=0.9)
    Decision(round=1, value=False, stop=False)
    >>> stopper.observe(answer="paris.", margin=0.4)
    Decision(round=2, value=True, stop=True)
    """

    def __init__(
        self,
        rule: Rule,
        *,
        calibrators: Sequence[Calibrator] = (),
        cell: str = "",
        normalise: Normaliser = "robust",
        ignore: Collection[str] = (),
        cost_is_round: bool = False,
    ) -> None:
        require_cuts(rule)
        self._rule = rule
        self._calibrators = {each.name: each for each in calibrators if each.name in rule.signals}
        check_names(rule, signals=rule.signals, booleans=rule.signals - self._calibrators.keys())
        self._flags = flags(rule)
        self._reads_cost = _reads_cost(rule)
        self._cell = cell
        self._how = normalise
        self._ignored = frozenset(ignore)
        self._cost_is_round = cost_is_round
        for name in sorted(self.reads & {"answer", "cost"}):
            raise RuleError(f"`{rule}` reads a signal named {name!r}, which observe() keeps for the role: rename it")
        # what cannot work is said now, not in the middle of a run
        normalised("", normalise)
        for calibrator in self._calibrators.values():
            calibrator.value(None, cell=cell, round=1)
        self.reset()

    @classmethod
    def from_lock(cls, path: Path | str, *, cell: str = "") -> Self:
        """The stopper of a locked rule, with the calibrators, normaliser and roles of its lock.

        Signals of the study that the rule does not read may be observed too.

        Raises
        ------
        LockError
            When the lock is missing or was changed.
        CalibrationError
            When a calibrator that is needed has no fit for the cell.
        """
        from .lockfile import read_lock

        lock = read_lock(path)
        return cls(
            lock.rule,
            calibrators=lock.calibrators,
            cell=cell,
            normalise=lock.roles.normalise,
            ignore=lock.roles.signals or (),
            cost_is_round=lock.roles.cost is None,
        )

    @property
    def rule(self) -> Rule:
        """The rule that decides."""
        return self._rule

    @property
    def reads(self) -> frozenset[str]:
        """The signals to observe each round: those of the rule, the raw one in place of a calibrated one."""
        raw = {each.signal for each in self._calibrators.values()}
        return (self._rule.signals - self._calibrators.keys()) | raw

    def reset(self) -> None:
        """Begin another trajectory."""
        self._waiting: deque[Observed] = deque()
        self._decisions = decisions(self._rule, iter(self._waiting.popleft, None))
        self._last = BEFORE_THE_FIRST
        self._spent = -inf

    def observe(self, /, answer: object = LEFT_OUT, cost: object = LEFT_OUT, **signals: object) -> Decision:
        """What the rule says at the end of the next round.

        Parameters
        ----------
        answer : str or None
            As it was given, not normalised; None where it is missing. Looked at only when the rule reads it.
        cost : float
            Spent up to and including this round. Looked at only when the rule reads it.
        **signals : float, bool or None
            All that `reads` names; None or NaN where missing. ``**{"top score": 2.1}`` where a name is no
            identifier.

        Raises
        ------
        RuleError
            After the stop; when something that the rule reads is left out, a name is not known, or a value is
            of the wrong kind. The round does not count then: observe it again.
        """
        if self._last.stop:
            raise RuleError(
                f"round {self._last.round + 1}: the rule stopped at round {self._last.round}; "
                "call reset() before another trajectory"
            )
        try:
            self._check_names(signals)
            self._check_complete(answer, cost, signals)
            spent = self._cost(cost)
            seen = Observed(answer=self._answer(answer), cost=spent, signals=self._signals(signals))
        except RuleError as error:
            raise RuleError(f"round {self._round}: {error}") from None
        self._spent = spent
        self._waiting.append(seen)
        self._last = next(self._decisions)
        return self._last

    @property
    def _round(self) -> int:
        return self._last.round + 1

    def _check_names(self, signals: Mapping[str, object]) -> None:
        for name in sorted(signals.keys() - self.reads):
            if name in self._calibrators:
                raw = self._calibrators[name].signal
                raise RuleError(f"{name!r} is worked out from {raw!r}: observe that instead")
            if name not in self._ignored:
                there = listing(sorted(self.reads)) or "none"
                raise RuleError(f"the rule reads no signal {name!r}{nearest(name, self.reads)}; it reads {there}")

    def _check_complete(self, answer: object, cost: object, signals: Mapping[str, object]) -> None:
        missing = sorted(self.reads - signals.keys())
        missing += ["answer"] * (self._rule.needs_answer and answer is LEFT_OUT)
        if missing:
            raise RuleError(f"the rule reads {listing(missing)}: observe it, as None where it is missing")
        if self._reads_cost and self._cost_is_round and cost is not LEFT_OUT:
            raise RuleError("the cost that the rule reads is the number of rounds: leave cost out")
        if self._reads_cost and not self._cost_is_round and cost is LEFT_OUT:
            raise RuleError("the rule reads the cost: observe what has been spent so far")

    def _answer(self, answer: object) -> str | None:
        missing = answer is LEFT_OUT or answer is None or (isinstance(answer, float) and isnan(answer))
        return None if missing else normalised(str(answer), self._how) or None

    def _cost(self, given: object) -> float:
        if not self._reads_cost or self._cost_is_round:
            return float(self._round)
        cost = _number("cost", given)
        if cost is None or not isfinite(cost):
            raise RuleError(f"cost must be a finite number, not {shown(given)}")
        if cost < self._spent:
            raise RuleError(f"cost is what has been spent so far, so it cannot fall from {self._spent:g} to {cost:g}")
        return cost

    def _signals(self, given: Mapping[str, object]) -> dict[str, float | None]:
        values = {name: _number(name, given[name]) for name in sorted(self.reads)}
        for name in sorted(self._flags):
            if values[name] not in (0, 1, None):
                raise RuleError(f"{name} is true or false to the rule, not {shown(given[name])}")
        for name, calibrator in self._calibrators.items():
            values[name] = calibrator.value(values[calibrator.signal], cell=self._cell, round=self._round)
        return values


def _number(name: str, value: object) -> float | None:
    """A float, or None where the value is missing."""
    if value is None:
        return None
    if isinstance(value, SupportsFloat):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            return None if isnan(number) else number
    raise RuleError(f"{name} must be a number, or None where it is missing, not {shown(value)}")


def _reads_cost(expression: Expression) -> bool:
    return isinstance(expression, Cost) or any(map(_reads_cost, expression.operands))
