"""What an evaluation says, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from ..trajectories.table import Trajectories
from .baselines import ORACLE
from .intervals import Estimate
from .results import Comparison, Evaluation, Performance

PERCENT_NAMES = frozenset({"f1", "em"})


def in_percent(t: Trajectories) -> bool:
    """Whether quality is an F1 or EM stored as a fraction, which is printed x100."""
    named = not PERCENT_NAMES.isdisjoint(t.roles.quality.lower().split("_"))
    known = t.quality[t.recorded]
    return named and bool(((known >= 0) & (known <= 1)).all())


def verdicts(evaluation: Evaluation) -> tuple[str, ...]:
    """What the rule reaches, how each baseline stands against it, and what hindsight could reach.

    A difference is called significant when its 95% interval leaves out 0. "No adaptive rule" means the locked
    one and the contenders; their intervals are not corrected for their number, so that it is hard to say.
    """
    return tuple(_sentences(evaluation))


def _sentences(evaluation: Evaluation) -> Iterator[str]:
    scope = evaluation.macro
    cells = f" in {len(evaluation.cells)} cells (macro means)" if len(evaluation.cells) > 1 else ""
    yield (
        f"`{evaluation.rule}` reaches {_reached(evaluation, scope.rule)} on {scope.n} trajectories{cells}; "
        f"intervals resample {scope.groups} groups"
    )
    if not evaluation.adaptive:
        yield "the rule is a fixed depth: no adaptive rule was chosen"
    for one in scope.comparisons.values():
        if not one.deployable:
            continue
        if one.alike == scope.n:
            yield f"it stops every trajectory where {one.baseline} does"
        else:
            yield _locked_against(evaluation, one)
            yield _shares_against(evaluation, one)
        yield from _any_against(evaluation, one)
    yield (
        f"the {ORACLE}, which reads the outcomes and cannot be deployed, reaches "
        f"{_reached(evaluation, scope.baselines[ORACLE])}"
    )


def _locked_against(evaluation: Evaluation, one: Comparison) -> str:
    difference = one.quality_difference
    if difference.degenerate:
        finding = f"differs from {one.baseline} by the same in every resample"
    elif difference.low > 0:
        finding = f"beats {one.baseline} significantly"
    elif difference.high < 0:
        finding = f"is significantly worse than {one.baseline}"
    else:
        finding = f"does not differ significantly from {one.baseline}"
    return f"`{evaluation.rule}` {finding}: difference {_difference(evaluation, difference)}"


def _shares_against(evaluation: Evaluation, one: Comparison) -> str:
    kept, saving, cost = one.retention, one.saving, evaluation.cost_name
    quality = (
        f"no retention ({kept.reason})"
        if kept.reason
        else f"it keeps {_share(kept)} of the {evaluation.quality_name} of {one.baseline}"
    )
    if saving.reason:
        spending = f"no saving ({saving.reason})"
    elif saving.value >= 0:
        spending = f"saves {_share(saving)} of the {cost} of {one.baseline}"
    else:
        more = Estimate(-saving.value, -saving.high, -saving.low, saving.degenerate)
        spending = f"spends {_share(more)} more {cost} than {one.baseline}"
    dominated = (
        f"; {one.baseline} dominates it: at least the same {evaluation.quality_name} for no more {cost}"
        if one.quality_difference.value <= 0 and one.cost_difference.value >= 0
        else ""
    )
    return f"{quality} and {spending}{dominated}"


def _any_against(evaluation: Evaluation, one: Comparison) -> Iterator[str]:
    """Whether any adaptive rule of the front beats the baseline; silent without contenders."""
    adaptive = {rival.rule: rival.differences[one.baseline] for rival in evaluation.contenders if rival.adaptive}
    if not adaptive:
        return
    if evaluation.adaptive:
        adaptive[evaluation.rule] = one.quality_difference
    better = sum(not each.degenerate and each.low > 0 for each in adaptive.values())
    best = max(adaptive, key=lambda rule: (adaptive[rule].value, rule))
    finding = (
        f"{better} of {len(adaptive)} adaptive rules of the front beat {one.baseline} by their own interval, "
        "which is no proof, as intervals are not corrected for their number"
        if better
        else f"no adaptive rule beats {one.baseline} significantly"
    )
    yield f"{finding}: the largest difference, of `{best}`, is {_difference(evaluation, adaptive[best])}"


def _reached(evaluation: Evaluation, one: Performance) -> str:
    spent = f"{one.calls.value:.4g} calls"
    if evaluation.cost_name != "calls":
        spent = f"{evaluation.cost_name} {one.cost.value:.6g} ({spent})"
    quality = _points(evaluation, one.quality.value)
    return f"{evaluation.quality_name} {quality} {_interval(evaluation, one.quality)} at {spent}"


def _difference(evaluation: Evaluation, figure: Estimate) -> str:
    name = evaluation.quality_name
    unit = f"{name.upper() if name in PERCENT_NAMES else name} points" if evaluation.percent else name
    return f"{_points(evaluation, figure.value, '+')} {unit} {_interval(evaluation, figure)}"


def _points(evaluation: Evaluation, value: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f}" if evaluation.percent else f"{value:{sign}.4g}"


def _interval(evaluation: Evaluation, figure: Estimate) -> str:
    if figure.degenerate:
        return "[no spread]"
    return f"[{_points(evaluation, figure.low)}, {_points(evaluation, figure.high)}]"


def _share(figure: Estimate) -> str:
    interval = "no spread" if figure.degenerate else f"{100 * figure.low:.1f}, {100 * figure.high:.1f}"
    return f"{100 * figure.value:.1f}% [{interval}]"
