"""What an evaluation says, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from ..trajectories.table import Trajectories
from .baselines import ORACLE
from .early import Later
from .intervals import Estimate
from .results import Comparison, Evaluation
from .wording import PERCENT_NAMES, Wording, p_value, share

LEVEL = 0.05  # of the sign-flip tests


def in_percent(t: Trajectories) -> bool:
    """Whether quality is an F1 or EM stored as a fraction, which is printed x100."""
    named = not PERCENT_NAMES.isdisjoint(t.roles.quality.lower().split("_"))
    known = t.quality[t.recorded]
    return named and bool(((known >= 0) & (known <= 1)).all())


def verdicts(evaluation: Evaluation) -> tuple[str, ...]:
    """What the rule reaches, how each baseline stands against it, and what hindsight could reach.

    A difference is called significant when its sign-flip p-value is at most .05: adjusted by Holm over the
    declared baselines and the fixed depths, or its own where it was the one planned comparison. "No adaptive
    rule" means the locked one and the contenders; their intervals are not corrected for their number, so that it
    is hard to say.
    """
    return tuple(_sentences(evaluation, evaluation.wording))


def _sentences(evaluation: Evaluation, words: Wording) -> Iterator[str]:
    scope = evaluation.macro
    cells = f" in {len(evaluation.cells)} cells (macro means)" if len(evaluation.cells) > 1 else ""
    yield (
        f"`{evaluation.rule}` reaches {words.reached(scope.rule.quality, scope.rule.cost, scope.rule.calls)} on "
        f"{scope.n} trajectories{cells}; intervals resample {scope.groups} groups"
    )
    if not evaluation.adaptive:
        yield "the rule is a fixed depth: no adaptive rule was chosen"
    for one in scope.comparisons.values():
        if not one.deployable:
            continue
        if one.alike == scope.n:
            yield f"it stops every trajectory where {one.baseline} does"
        else:
            yield _locked_against(evaluation, words, one)
            yield _shares_against(evaluation, words, one)
        yield from _any_against(evaluation, words, one)
    if evaluation.adaptive:
        yield _time_sharing(evaluation, words)
    yield from _early(evaluation)
    best = scope.baselines[ORACLE]
    yield (
        f"the {ORACLE}, which reads the outcomes and cannot be deployed, reaches "
        f"{words.reached(best.quality, best.cost, best.calls)}"
    )


def _locked_against(evaluation: Evaluation, words: Wording, one: Comparison) -> str:
    difference = one.quality_difference
    planned = one.baseline == evaluation.comparator
    p = one.test.flip.p if planned or one.test.p_holm is None else one.test.p_holm
    if difference.degenerate:
        finding = f"differs from {one.baseline} by the same in every resample"
    elif p > LEVEL:
        finding = f"does not differ significantly from {one.baseline}"
    elif difference.value > 0:
        finding = f"beats {one.baseline} significantly"
    else:
        finding = f"is significantly worse than {one.baseline}"
    kind = "the planned comparison" if planned else "Holm over the declared baselines and the other fixed depths"
    tested = f"sign flips: {p_value(p)}, {kind}"
    won = f"{one.wins} questions won, {one.ties} tied, {one.losses} lost"
    return f"`{evaluation.rule}` {finding}: difference {words.difference(difference)}; {won}; {tested}"


def _shares_against(evaluation: Evaluation, words: Wording, one: Comparison) -> str:
    kept, saving, cost = one.retention, one.saving, evaluation.cost_name
    quality = (
        f"no retention ({kept.reason})"
        if kept.reason
        else f"it keeps {share(kept)} of the {words.quality} of {one.baseline}"
    )
    if saving.reason:
        spending = f"no saving ({saving.reason})"
    elif saving.value >= 0:
        spending = f"saves {share(saving)} of the {cost} of {one.baseline}"
    else:
        more = Estimate(-saving.value, -saving.high, -saving.low, saving.degenerate)
        spending = f"spends {share(more)} more {cost} than {one.baseline}"
    dominated = (
        f"; {one.baseline} dominates it: at least the same {words.quality} for no more {cost}"
        if one.quality_difference.value <= 0 and one.cost_difference.value >= 0
        else ""
    )
    return f"{quality} and {spending}{dominated}"


def _any_against(evaluation: Evaluation, words: Wording, one: Comparison) -> Iterator[str]:
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
    yield f"{finding}: the largest difference, of `{best}`, is {words.difference(adaptive[best])}"


def _time_sharing(evaluation: Evaluation, words: Wording) -> str:
    """The rule against two fixed depths by lot."""
    lottery = evaluation.time_sharing
    chosen = f"fixed({lottery.k})"
    if lottery.share > 0:
        chosen += f" and, {100 * lottery.share:.0f}% of the time, fixed({lottery.k + 1})"
    return (
        f"against {chosen} at the same mean {evaluation.cost_name}, which needs no signal: difference "
        f"{words.difference(lottery.quality_difference)}"
    )


def _early(evaluation: Evaluation) -> Iterator[str]:
    """What the rounds that were not run would have done."""
    early = evaluation.macro.early
    if not early.n:
        return
    name = evaluation.quality_name

    def told(later: Later) -> str:
        return f"raised {name} in {later.better}, lowered it in {later.worse} and left it in {later.same}"

    yield (
        f"of {early.of} trajectories {early.n} stop early; one more round would have {told(early.next[name])}, all "
        f"rounds would have {told(early.last[name])}"
    )
    if early.right_then_wrong is not None:
        yield (
            f"stopping early saved {early.right_then_wrong} right answers that the last round loses, and lost "
            f"{early.wrong_then_right} that it finds"
        )
