"""The audit of the HotpotQA example: nothing leaks, and what is true of it is said."""

from pathlib import Path

import pytest
from stoprule.cli import searching
from stoprule.cli.auditing import audit_folder
from stoprule.cli.evaluating import evaluate_folder

from .audit_study import quickly

STUDY = Path(__file__).parents[2] / "examples" / "hotpotqa" / "study.toml"


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The findings by check."""
    with quickly():
        out = tmp_path_factory.mktemp("example") / "out"
        searching.search_study(STUDY, out=out, jobs=1, overrides=["evaluate.draws=50"])
        evaluate_folder(out)
        return {each["check"]: each for each in audit_folder(out)["checks"]}


class TestExample:
    def test_leaks_nothing(self, checks):
        """Splits, calibrators, signals, lock and looks are clean; no cut is a number of ours."""
        for name in (
            "lock-integrity",
            "calibrated-on-final",
            "calibrated-on-selection",
            "outcome-as-signal",
            "future-peek",
            "transductive-scale",
            "picked-on-final",
            "more-than-one-look",
            "always-true",
            "never-true",
            "missing-passes-guard",
            "stale-versions",
        ):
            assert checks[name]["verdict"] == "pass", checks[name]

    def test_says_that_the_sample_is_small(self, checks):
        """174 selection groups."""
        assert (checks["small-sample"]["verdict"], checks["small-sample"]["figure"]) == ("note", 174)

    def test_says_that_the_model_is_weak(self, checks):
        """More evidence does not help it, and no rule beats stopping at once when all are counted."""
        assert "more rounds do not help" in checks["no-gain-from-rounds"]["cause"]
        assert checks["family-wide"]["verdict"] == "warn"
        assert "fixed(1)" in checks["family-wide"]["cause"]
        assert checks["optimism"]["verdict"] in ("note", "warn")

    def test_says_what_else_is_true(self, checks):
        """One signal never changes over the rounds, and the wording was not recorded."""
        assert checks["static-signal"]["cause"].startswith("gap has one value")
        assert "was not compared" in checks["split-overlap"]["cause"]
        assert "fail" not in {each["verdict"] for each in checks.values()}
