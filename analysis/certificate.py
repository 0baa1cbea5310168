"""What a guarantee certifies, in words and for the lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..enumerate.ledger import ledger
from ..enumerate.replay import replayed
from ..rules.expression import Rule
from ..rules.lockfile import Lock
from ..rules.text import parse
from ..trajectories.table import Floats, Trajectories
from .baselines import label
from .exact_margin import exact_margin_p
from .guarantee import Constraint, Judged, Trial
from .noninferiority import unit_losses
from .other_pvalues import hoeffding_bentkus_p, t_p
from .power import CertifiableLoss
from .verdict import in_percent
from .wording import Wording

MOST_FRACTION = 1.0  # ranges up to this wide are told in points of a hundredth


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """The outcome of a guarantee.

    Attributes
    ----------
    trial : Trial
    expected : Rule
        What A hoped for, and whose spread the power was worked out from.
    certifiable : sequence of CertifiableLoss
        One a constraint, from A alone.
    tested : sequence of Judged
        In their order; only the last may have failed.
    front : int
        Rules that stood in the sequence.
    without_sequence : method -> rules
        Certified by Bonferroni and by Holm, for comparison.
    """

    trial: Trial
    expected: Rule
    certifiable: Sequence[CertifiableLoss]
    tested: Sequence[Judged]
    front: int
    without_sequence: dict[str, list[Rule]]

    @property
    def passed(self) -> list[Rule]:
        """The certified rules in the order of their tests."""
        return self.trial.passed(self.tested)

    @property
    def rule(self) -> Rule:
        """The answer: the last rule that passed, else the reference itself."""
        return self.passed[-1] if self.passed else self.trial.of

    @property
    def finite_sample(self) -> bool:
        """Whether the claim holds for any number of groups."""
        return all(each.certifying.independent for each in self.trial.constraints)

    def sentences(self) -> list[str]:
        """What could be certified, what was, and for whom it holds."""
        return [*self._power(), self._course(), self.claim()]

    def claim(self) -> str:
        """The claim, or that there is none."""
        policy, of = self.trial.policy, label(self.trial.of)
        words = wording(self.trial.parts.certifying)
        if not self.passed:
            return f"no rule passed: the answer is {of} itself, whose loss is zero, and nothing is claimed of others"
        limits = " and ".join(_limit(each, words) for each in self.trial.constraints)
        units = "; ".join(dict.fromkeys(_population(each) for each in self.trial.constraints))
        basis = (
            f"a wrong claim has probability {policy.alpha:g} at most, {policy.test} test, finite-sample"
            if self.finite_sample
            else f"nominal alpha {policy.alpha:g}, {policy.test} test, no finite-sample claim"
        )
        return (
            f"on new groups from the population of the certifying ones, groups weighing equally ({units}), "
            f"`{self.rule}` loses on average less than {limits} to {of}: {basis}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The entry of the lock."""
        return {
            "claim": self.claim(),
            "certified": len(self.passed),
            "front": self.front,
            "finite_sample": self.finite_sample,
            "choosing_groups": len(set(self.trial.parts.choosing.group)),
            "certifying_groups": len(self.trial.parts.certifying_ids),
            "constraints": [_constraint(each) for each in self.trial.constraints],
            "power": {
                "rule": str(self.expected),
                "certifiable": [_certifiable(each) for each in self.certifiable],
                "sentences": self._power(),
            },
            "tested": [self._tested(each) for each in self.tested],
            "for_comparison": {
                method: {"certified": len(rules), "last": str(rules[-1]) if rules else None}
                for method, rules in self.without_sequence.items()
            },
        }

    def certifying_figures(self) -> dict[str, Any]:
        """The answer's macro figures on B."""
        t = self.trial.parts.certifying
        figures = replayed([self.rule], t, ledger(t))
        return {
            "quality": float(figures.quality[0]),
            "cost": float(figures.cost[0]),
            "calls": float(figures.calls[0]),
            "fired": int(figures.fired[0]),
        }

    def _power(self) -> list[str]:
        said = []
        for limit, found in zip(self.trial.constraints, self.certifiable, strict=True):
            points = 100.0 if limit.largest <= MOST_FRACTION else 1.0
            where = "" if len(self.certifiable) == 1 else f"{_name(limit)}: "
            short = "" if found.max_loss <= limit.max_loss else f"; max_loss asks for {points * limit.max_loss:.1f}"
            said.append(f"{where}{found.sentence(points=points)}{short}")
        return said

    def _course(self) -> str:
        passed, tested = len(self.passed), len(self.tested)
        ended = "all passed" if passed == tested else f"{passed} passed, then `{self.tested[-1].rule}` failed"
        others = ", ".join(f"{name.capitalize()} {len(rules)}" for name, rules in self.without_sequence.items())
        return f"{tested} of {self.front} rules of the front tested in turn: {ended} (all at once: {others})"

    def _tested(self, one: Judged) -> dict[str, Any]:
        by_constraint = [
            {
                "mean_loss": float(losses.mean()),
                "p": p,
                "for_comparison": _other_p(losses, limit),
            }
            for limit, losses, p in zip(self.trial.constraints, one.losses, one.p, strict=True)
        ]
        return {
            "rule": str(one.rule),
            "id": one.rule.id,
            "p": one.largest_p,
            "passed": one.largest_p <= self.trial.policy.alpha,
            "by_constraint": by_constraint,
        }


def certified(trial: Trial, rules: Sequence[Rule]) -> Certificate:
    """Work out the power from A, then run the sequence on B, and both corrections beside it."""
    expected, certifiable = trial.certifiable(rules)
    return Certificate(
        trial=trial,
        expected=expected,
        certifiable=certifiable,
        tested=trial.run(rules),
        front=len(rules),
        without_sequence=trial.without_sequence(rules),
    )


def on_final(lock: Lock, final: Trajectories) -> dict[str, Any] | None:
    """A lock's claim, beside what the rule loses on the final split; None where the lock makes none.

    The claim was tested before: the final split neither strengthens nor weakens it, its figure is there to compare.
    """
    entry = lock.content["guarantee"]
    if entry is None:
        return None
    of = parse(lock.content["policy"]["of"])
    losses, units = unit_losses(final, lock.rule, of)
    words = wording(final)
    said = f"on the final split the mean loss is {words.points(float(losses.mean()), '+')} {words.unit} ({units})"
    return {"claim": entry["claim"], "mean_loss": float(losses.mean()), "sentence": f"{entry['claim']}; {said}"}


def wording(t: Trajectories) -> Wording:
    """How the figures of a table are told."""
    return Wording(t.roles.quality, t.roles.cost_name, in_percent(t))


def _limit(limit: Constraint, words: Wording) -> str:
    own = replace(words, quality=limit.outcome)
    where = f" in {limit.cell}" if limit.cell else ""
    return f"{own.points(limit.max_loss)} {own.unit}{where}"


def _name(limit: Constraint) -> str:
    return limit.outcome if not limit.cell else f"{limit.outcome} in {limit.cell}"


def _population(limit: Constraint) -> str:
    return f"{limit.certifying}{f' in {limit.cell}' if limit.cell else ''}"


def _constraint(limit: Constraint) -> dict[str, Any]:
    return {
        "outcome": limit.outcome,
        "cell": limit.cell,
        "max_loss": limit.max_loss,
        "largest": limit.largest,
        "recipe": limit.certifying.recipe,
        "units": len(limit.certifying),
        "groups": limit.certifying.used,
        "independent": limit.certifying.independent,
    }


def _certifiable(found: CertifiableLoss) -> dict[str, Any]:
    return {
        "max_loss": None if np.isnan(found.max_loss) else found.max_loss,
        "floor": found.floor,
        "certifying": found.certifying,
        "sd": found.sd,
        "power": found.power,
    }


def _other_p(losses: Floats, limit: Constraint) -> dict[str, float | None]:
    """P-values that decide nothing; t is asymptotic, the exact one is for right or wrong outcomes in one cell."""
    right_or_wrong = limit.certifying.recipe == "one cell" and np.isin(losses / limit.largest, (-1.0, 0.0, 1.0)).all()
    rescaled = hoeffding_bentkus_p(losses, max_loss=limit.max_loss, least=-limit.largest, largest=limit.largest)
    return {
        "exact": exact_margin_p(losses, max_loss=limit.max_loss, largest=limit.largest) if right_or_wrong else None,
        "hoeffding_bentkus": float(rescaled),
        "t_asymptotic": float(t_p(losses, max_loss=limit.max_loss)) if len(losses) > 1 else None,
    }
