"""Lock, log and versions: is everything still what it was when the rule was locked, and who has looked?"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from itertools import takewhile

from ...trajectories.fingerprints import fingerprint, fingerprint_rows
from ..lock import version
from ..looks import Entry
from .evidence import Evidence
from .findings import Answer, listed

ALPHA = 0.05


def lock_integrity(e: Evidence) -> Answer:
    """Lock, log, evaluation and data agree with one another."""
    problems = [*e.problems, *_disagreements(e)]
    what = "contradictions between lock, log, evaluation and data"
    if problems:
        return Answer(
            "fail", len(problems), what, "; ".join(problems), "restore the files, or search again in a new folder"
        )
    return Answer("pass", 0, what, "lock, look log, evaluation and data agree")


def _disagreements(e: Evidence) -> Iterator[str]:
    split = e.lock.content["split"]
    if fingerprint_rows(e.selection) != split["selection_rows"]:
        yield "the selection rows are not those that the rule was chosen on"
    if fingerprint(e.split.ids("final")) != split["final_ids"]:
        yield "the final split has other groups than the lock was made for"
    rows = {} if e.calibration is None else {"calibration": fingerprint_rows(e.calibration)}
    rows["selection"] = fingerprint_rows(e.raw_selection)
    for each in e.lock.calibrators:
        if each.fitted_on != rows.get(e.lock.content["calibration"][each.name]["fit"]):
            yield f"the rows that {each.name} was fitted on have changed"
    if e.looks:
        locks = [entry.lock for entry in e.looks if entry.kind == "lock"]
        if not locks or locks[-1] != e.lock.sha256:
            yield "the look log does not end with this lock"
    elif not e.problems:
        yield "the look log is missing"
    if e.evaluation is not None:
        looked = {entry.final_rows for entry in e.looks if entry.kind == "look" and entry.lock == e.lock.sha256}
        if e.looks and e.evaluation["final_rows"] not in looked:
            yield "evaluation.json reports rows that the look log does not know"


def more_than_one_look(e: Evidence) -> Answer:
    """How many locks were evaluated on the final split, and which of them were written before the first look."""
    what = "looks at the final split"
    own = [entry for entry in e.looks if entry.final_ids == e.lock.content["split"]["final_ids"]]
    looks = [entry for entry in own if entry.kind == "look"]
    evaluated = list(dict.fromkeys(entry.lock for entry in looks))
    before = {entry.lock for entry in takewhile(lambda entry: entry.kind == "lock", own)}
    reasons = [entry.reason for entry in looks if entry.reason]
    why = f"; the reasons given: {listed(reasons)}" if reasons else ""
    late = [lock for lock in evaluated if lock not in before]
    if late or (looks and e.lock.sha256 not in before):
        return Answer(
            "warn",
            len(looks),
            what,
            f"{_count(len(late) or 1, 'lock')} came after the final split was opened, with its figures in view{why}",
            "no correction makes this valid: call the figures exploratory, and confirm the rule on new questions",
        )
    if len(evaluated) > 1:
        return Answer(
            "warn",
            len(looks),
            what,
            f"{len(evaluated)} of {len(before)} locks were evaluated on the same split; all were written before the "
            f"first look{why}",
            f"test each at {ALPHA:g} / {len(before)} = {ALPHA / len(before):.4g} (Bonferroni), and report all of them",
        )
    if len(looks) > 1:
        return Answer(
            "note",
            len(looks),
            what,
            f"the same lock was evaluated {len(looks)} times; nothing was chosen between the looks{why}",
            "report the figures once",
        )
    if not looks:
        return Answer("note", 0, what, "the final split is not opened yet", "run `stoprule evaluate` once")
    return Answer("pass", 1, what, "the final split was opened once, for this lock")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number > 1 else "")


def stale_versions(e: Evidence) -> Answer:
    """Libraries, or an evaluation, of another time than the lock."""
    what = "libraries of another version than at the lock"
    changed = [f"{name} {then} -> {now}" for name, then, now in _versions(e) if then != now]
    if e.stale_evaluation:
        return Answer(
            "warn",
            len(changed),
            what,
            "evaluation.json belongs to an earlier lock than lock.json",
            "run `stoprule evaluate` for this lock, if the final split was not opened for another",
        )
    if changed:
        return Answer(
            "warn",
            len(changed),
            what,
            f"the rule was locked with other versions: {listed(changed)}",
            "install the versions that the lock names to repeat its figures to the last byte",
        )
    return Answer("pass", 0, what, "the libraries are those that the lock names")


def _versions(e: Evidence) -> Iterator[tuple[str, str, str]]:
    for name, then in sorted(e.lock.content["versions"].items()):
        if name == "python":
            yield name, then, platform.python_version()
            continue
        try:
            yield name, then, version(name)
        except PackageNotFoundError:
            yield name, then, "not installed"


def reasons(looks: tuple[Entry, ...]) -> tuple[str, ...]:
    """Every reason for another look, in order: whatever is made later carries them."""
    return tuple(entry.reason for entry in looks if entry.reason is not None)
