"""Every check by its name, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .calibrated import calibrated_on_final, calibrated_on_selection
from .choice import no_gain_from_rounds, picked_on_final, small_sample
from .dominance import dominated
from .evidence import Evidence
from .family import family_wide_check
from .findings import Answer, Finding, not_run
from .integrity import lock_integrity, more_than_one_look, stale_versions
from .optimism import optimism
from .overfitting import overfit_probability_check
from .overlap import split_overlap
from .rule import always_true, duplicate_behaviours, missing_passes_guard, never_true, plateau
from .signals import constant_signal, future_peek, outcome_as_signal, static_signal, transductive_scale

Progress = Callable[[int, int], None]
Check = Callable[[Evidence], Answer]

CHECKS: Mapping[str, Check] = {
    "lock-integrity": lock_integrity,
    "split-overlap": split_overlap,
    "calibrated-on-final": calibrated_on_final,
    "calibrated-on-selection": calibrated_on_selection,
    "outcome-as-signal": outcome_as_signal,
    "future-peek": future_peek,
    "transductive-scale": transductive_scale,
    "picked-on-final": picked_on_final,
    "more-than-one-look": more_than_one_look,
    "optimism": optimism,
    "overfit-probability": overfit_probability_check,
    "family-wide": family_wide_check,
    "dominated": dominated,
    "small-sample": small_sample,
    "no-gain-from-rounds": no_gain_from_rounds,
    "static-signal": static_signal,
    "constant-signal": constant_signal,
    "always-true": always_true,
    "never-true": never_true,
    "missing-passes-guard": missing_passes_guard,
    "plateau": plateau,
    "duplicate-behaviours": duplicate_behaviours,
    "stale-versions": stale_versions,
}


def audit(evidence: Evidence, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Run every check; ``progress`` is called with the checks done and their number."""
    findings = []
    for name, check in CHECKS.items():
        findings.append(_named(name, check(evidence)))
        if progress is not None:
            progress(len(findings), len(CHECKS))
    return tuple(findings)


def unaudited(problems: tuple[str, ...]) -> tuple[Finding, ...]:
    """The findings when the lock itself cannot be trusted: nothing else can be judged."""
    broken = Answer(
        "fail",
        len(problems),
        "contradictions between lock, log, evaluation and data",
        "; ".join(problems),
        "restore the files, or search again in a new folder",
    )
    rest = not_run("the lock cannot be trusted", "mend what lock-integrity says first")
    return tuple(_named(name, broken if name == "lock-integrity" else rest) for name in CHECKS)


def _named(name: str, answer: Answer) -> Finding:
    return Finding(
        check=name,
        verdict=answer.verdict,
        figure=answer.figure,
        what=answer.what,
        cause=answer.cause,
        remedy=answer.remedy,
    )
