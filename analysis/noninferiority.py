"""Is the locked rule at most a stated margin worse than a reference? Margin, level and bets are in the lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Trajectories
from .baselines import label, stops
from .betting import Bet, betting_p, refuse_unfit
from .units import Units, independent_units
from .wording import Wording


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What is tested, as the lock holds it before the final split is opened.

    Attributes
    ----------
    of : str
        The reference, as a rule's text.
    margin : float
        The mean loss in quality that is still acceptable, in the data's own unit.
    alpha : float
        Level of the one-sided test.
    largest : float
        The greatest loss that the declared range allows.
    mean, variance : float
        Of the loss on the selection split: they size the bets and decide the power, not the validity.
    units : int
        Independent units that these come from.
    """

    of: str
    margin: float
    alpha: float
    largest: float
    mean: float
    variance: float
    units: int

    def to_dict(self) -> dict[str, Any]:
        """The entry of the lock."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class NonInferiority:
    """The verdict on the final split.

    Attributes
    ----------
    declared : Declared
    p : float
        Betting p-value of H0: the mean loss is the margin or more. It is aimed at alpha, so that its size is no
        measure of strength.
    loss : float
        Mean over the units, of the reference's quality minus the rule's.
    units : str
        What the units are.
    finite_sample : bool
        False where questions stand in several units, so that no finite-sample claim holds.
    """

    declared: Declared
    p: float
    loss: float
    units: str
    finite_sample: bool

    @property
    def shown(self) -> bool:
        """Whether non-inferiority holds at the declared level."""
        return self.p <= self.declared.alpha

    def sentence(self, words: Wording) -> str:
        """The verdict in words."""
        of, margin = label(parse(self.declared.of)), words.points(self.declared.margin)
        finding = "is not inferior" if self.shown else "is not shown to be non-inferior"
        basis = "betting test, finite-sample" if self.finite_sample else "betting test; groups in several units"
        return (
            f"the rule {finding} to {of} by {margin} {words.unit} or more (one-sided alpha {self.declared.alpha:g}, "
            f"{basis}): mean loss {words.points(self.loss, '+')} on {self.units}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdict for evaluation.json."""
        return {
            "of": label(parse(self.declared.of)),
            "margin": self.declared.margin,
            "alpha": self.declared.alpha,
            "shown": self.shown,
            "p": self.p,
            "mean_loss": self.loss,
            "units": self.units,
            "finite_sample": self.finite_sample,
        }


def declare(selection: Trajectories, rule: Rule, *, of: Rule, margin: float, alpha: float) -> Declared:
    """Fix a non-inferiority test by the split that the rule was chosen on.

    Raises
    ------
    StudyError
        Without a declared range of the quality, and for a margin or alpha that is none.
    """
    if selection.roles.range is None:
        raise StudyError(
            "evaluate.margin needs data.range, the lowest and highest possible quality: the test bets on bounded losses"
        )
    low, high = selection.roles.range
    if margin < 0:
        raise StudyError(f"evaluate.margin is the loss that is still acceptable, at least 0, not {margin:g}")
    losses, _ = unit_losses(selection, rule, of)
    refuse_unfit(losses, max_loss=margin, alpha=alpha, largest=high - low)
    bet = Bet.from_losses(losses, largest=high - low)
    return Declared(
        of=str(of),
        margin=margin,
        alpha=alpha,
        largest=high - low,
        mean=bet.mean,
        variance=bet.variance,
        units=len(losses),
    )


def non_inferiority(final: Trajectories, rule: Rule, entry: Mapping[str, Any]) -> NonInferiority:
    """Test what the lock declares, on the final split.

    Parameters
    ----------
    final : Trajectories
        With the calibrated signals.
    rule : Rule
        The locked one.
    entry : mapping
        ``non_inferiority`` of the lock.
    """
    declared = Declared(**entry)
    losses, units = unit_losses(final, rule, parse(declared.of))
    p = betting_p(
        losses,
        max_loss=declared.margin,
        alpha=declared.alpha,
        bet=Bet(declared.mean, declared.variance),
        largest=declared.largest,
    )
    return NonInferiority(
        declared=declared, p=p, loss=float(losses.mean()), units=str(units), finite_sample=units.independent
    )


def unit_losses(t: Trajectories, rule: Rule, of: Rule) -> tuple[Floats, Units]:
    """The loss of a rule against a reference in every independent unit, in their fixed order."""
    units = independent_units(t.cell, t.group)
    return units.values(stops(of, t).quality - stops(rule, t).quality), units
