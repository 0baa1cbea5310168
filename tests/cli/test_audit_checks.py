"""Every check: a study in which it fires, and its twin in which it does not, alike in all other verdicts."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.audit import family, integrity
from stoprule.analysis.audit.choice import figures_of
from stoprule.cli import choosing, evaluating, searching
from stoprule.cli.auditing import audit_folder
from stoprule.rules.text import parse

from .audit_study import CELLS, audit_verdicts, prepared, quickly, verdicts


@pytest.fixture
def audited(tmp_path):
    """Verdicts of the study with something changed."""
    number = iter(range(9))

    def run(change=lambda table: table, *overrides, **study):
        return verdicts(prepared(tmp_path / f"study{next(number)}", change, **study), *overrides)

    return run


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory) -> Path:
    """The study as it is, searched, evaluated and audited."""
    study = prepared(tmp_path_factory.mktemp("clean"))
    with quickly():
        verdicts(study)
    return study.parent


@pytest.fixture
def folder(evaluated, tmp_path) -> Path:
    """The folder of a copy, to be spoilt."""
    return shutil.copytree(evaluated, tmp_path / "copy") / "out"


@pytest.fixture(scope="module")
def clean(evaluated) -> dict[str, str]:
    """Verdicts of the study as it is."""
    checks = json.loads((evaluated / "out" / "audit.json").read_text())["checks"]
    return {each["check"]: each["verdict"] for each in checks}


def differing(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The checks that two audits answer differently."""
    return {check: (one[check], other[check]) for check in one if one[check] != other[check]}


def noise(table: pl.DataFrame, seed: int = 1) -> np.ndarray:
    """A normal number for every row."""
    return np.random.default_rng(seed).normal(size=table.height)


class TestClean:
    def test_passes_every_check(self, clean):
        """Nothing to say about a study in which nothing is wrong."""
        assert set(clean.values()) == {"pass"}, clean


class TestSplitOverlap:
    """Case 15; every kind of overlap stands in tests/analysis/test_audit_overlap.py."""

    def test_fires_on_a_wording(self, audited, clean):
        """Two ids, one question."""

        def change(table):
            asks = pl.when(pl.col("question") == "q739").then(pl.lit("Where is Oslo?"))
            return table.with_columns(
                text=asks.when(pl.col("question") == "q150").then(pl.lit("where is OSLO")).otherwise("text")
            )

        assert differing(clean, audited(change)) == {"split-overlap": ("pass", "fail")}

    def test_fires_on_two_cells(self, audited, clean):
        """One question, on one side in one cell and on another in another."""

        def change(table):
            moved = {"split": pl.lit("selection"), "cell": pl.lit(CELLS[0])}
            return pl.concat([table, table.filter(pl.col("question") == "q739").with_columns(**moved)])

        assert differing(clean, audited(change)) == {"split-overlap": ("pass", "fail")}


WITH_EXTRA = {"signals": ("margin", "coverage", "extra")}


def within(column: pl.Expr) -> pl.Expr:
    """Worked out over the rounds of each question."""
    return column.over("cell", "question")


def z(column: pl.Expr) -> pl.Expr:
    """Standardised."""
    return (column - column.mean()) / column.std(ddof=0)


class TestCalibratedOnFinal:
    """Case 24; that `evaluate` refuses such a lock is shown in test_audit."""

    def test_fires(self, audited):
        """A question of the final split among those of the calibration split, and not only on two sides."""

        def on_two_sides(side):
            return lambda table: pl.concat(
                [table, table.filter(pl.col("question") == "q739").with_columns(split=pl.lit(side))]
            )

        twin, found = audited(on_two_sides("selection")), audited(on_two_sides("calibration"))
        assert twin["split-overlap"] == found["split-overlap"] == "fail"
        assert differing(twin, found) == {"calibrated-on-final": ("pass", "fail")}


class TestCalibratedOnSelection:
    def test_fires(self, audited):
        """The same rows for fitting calibrators and for comparing rules, as published."""
        fine = rule("margin_cal > ?", "linspace(40)")
        twin, found = (
            audited(lambda table: table, f"calibrate.margin_cal.fit={side}", **fine)
            for side in ("calibration", "selection")
        )
        assert differing(twin, found) == {"calibrated-on-selection": ("pass", "warn")}


class TestOutcomeAsSignal:
    def test_fires(self, audited, clean):
        """An outcome that nobody declared; a good signal passes, with an AUROC of .96."""
        good = audited(lambda table: table.with_columns(extra=table["em"] + 0.4 * noise(table)), **WITH_EXTRA)
        assert good == clean
        found = audited(lambda table: table.with_columns(extra=pl.col("em")), **WITH_EXTRA)
        assert differing(clean, found) == {"outcome-as-signal": ("pass", "fail")}


class TestFuturePeek:
    def test_fires(self, audited, clean):
        """Case 30: z-scores over the rounds of a question; the same column as recorded passes."""
        assert audited(lambda table: table.with_columns(extra=pl.col("coverage").round(3)), **WITH_EXTRA) == clean
        found = audited(lambda table: table.with_columns(extra=within(z(pl.col("coverage"))).round(3)), **WITH_EXTRA)
        assert differing(clean, found) == {"future-peek": ("pass", "fail")}


class TestTransductiveScale:
    def test_fires(self, audited, clean):
        """Case 31: standardised over the final split; over the selection split it may be."""
        side = pl.col("split") == "selection"
        mean, sd = (getattr(pl.col("coverage").filter(side), what)() for what in ("mean", "std"))
        assert audited(lambda table: table.with_columns(extra=(pl.col("coverage") - mean) / sd), **WITH_EXTRA) == clean
        found = audited(lambda table: table.with_columns(extra=z(pl.col("coverage")).over("split")), **WITH_EXTRA)
        assert differing(clean, found) == {"transductive-scale": ("pass", "fail")}

    def test_notes_min_max(self, audited, clean):
        """From 0 to 1 over all rows: scaled, or a share."""
        low, high = pl.col("margin").min(), pl.col("margin").max()
        found = audited(lambda table: table.with_columns(extra=(pl.col("margin") - low) / (high - low)), **WITH_EXTRA)
        assert differing(clean, found) == {"transductive-scale": ("pass", "note")}


class TestStaticSignal:
    """Case 33."""

    def test_fires(self, audited, clean):
        """One value for all rounds of a question."""
        found = audited(lambda table: table.with_columns(extra=within(pl.col("coverage").first())), **WITH_EXTRA)
        assert differing(clean, found) == {"static-signal": ("pass", "note")}


class TestConstantSignal:
    @pytest.mark.parametrize("value", [0.5, None])
    def test_fires(self, audited, clean, value):
        """One value, or none, everywhere."""
        found = audited(lambda table: table.with_columns(extra=pl.lit(value, dtype=pl.Float64)), **WITH_EXTRA)
        assert differing(clean, found) == {"constant-signal": ("pass", "note")}


def rule(text: str, cuts: str = "linspace(12)") -> dict[str, str]:
    """A study that searches one shape."""
    return {"search": f'rule = "{text}"\ncuts = "{cuts}"'}


class TestIdleAtoms:
    """Case 32. A cut that the study names is a note of its own, in the twin too."""

    def test_always_true_fires(self, audited):
        """A threshold below every value turns `2 of 3` into `1 of 2`."""
        shape = "at_least(2, margin_cal > ?, repeat(answer), coverage > {})"
        twin, found = (audited(**rule(shape.format(cut))) for cut in (0.3, -0.5))
        assert differing(twin, found) == {"always-true": ("pass", "warn")}

    def test_never_true_fires(self, audited):
        """A threshold above every value."""
        shape = "margin_cal > ? | (coverage > {} & repeat(answer))"
        twin, found = (audited(**rule(shape.format(cut))) for cut in (0.9, 1.5))
        assert differing(twin, found) == {"never-true": ("pass", "warn")}

    def test_search_warns_of_it(self, tmp_path):
        """Before the final split is opened."""
        study = prepared(tmp_path, **rule("at_least(2, margin_cal > ?, repeat(answer), coverage > -0.5)"))
        notes = searching.search_study(study, out=None, jobs=1, overrides=[]).notes
        assert any("`coverage > -0.5` is always true" in note for note in notes)


class TestMissingPassesGuard:
    def test_fires(self, audited, clean):
        """A missing margin that counts as a good one; as a bad one it may."""
        assert audited(lambda table: table, "calibrate.margin_cal.missing=0.0") == clean
        found = audited(lambda table: table, "calibrate.margin_cal.missing=0.9")
        assert differing(clean, found) == {"missing-passes-guard": ("pass", "warn")}

    def test_notes_a_value_that_stands_out(self, audited):
        """As published: missing margins were recorded as 0.5, which passes the guard `margin > 0.25`."""

        def filled(value):
            margin = pl.when(pl.int_range(pl.len()) % 10 == 0).then(value).otherwise(pl.col("margin").round(2))
            return audited(lambda table: table.with_columns(margin=margin), **rule("margin > ?"))

        assert differing(filled(-1.5), filled(2.125)) == {"missing-passes-guard": ("pass", "note")}


class TestPlateau:
    def test_fires(self, audited):
        """A cut between two observed values that are all but one."""

        def gap(width):
            near = pl.when(pl.col("margin").is_between(0.4, 0.6)).then(0.4).otherwise("margin")
            nth = pl.int_range(pl.len()) % 50
            either_side = pl.when(nth == 0).then(0.5 - width).when(nth == 25).then(0.5 + width).otherwise("margin")
            return audited(
                lambda table: table.with_columns(margin=near).with_columns(margin=either_side),
                search='rule = "margin > ?"\ncuts = [0.5]',
            )

        assert differing(gap(0.1), gap(1e-6)) == {"plateau": ("pass", "note")}

    def test_notes_a_cut_that_decides_nothing(self, audited):
        """The guard may be moved down without end: nothing stops elsewhere."""

        def lifted(by):
            high = pl.when(pl.col("margin") > 0.2).then(pl.col("coverage") + by).otherwise("coverage")
            return audited(
                lambda table: table.with_columns(coverage=high),
                search='rule = "margin > 0.5 & coverage > ?"\ncuts = [0.25]',
            )

        assert differing(lifted(0), lifted(1)) == {"plateau": ("pass", "note")}


class TestDuplicateBehaviours:
    def test_fires(self, audited):
        """`round >= 0` stops where `round >= 1` does."""

        def beside(*more):
            shapes = ['rule = "margin_cal > ?"\ncuts = "linspace(12)"', *(f'rule = "{text}"' for text in more)]
            return audited(search="\n\n[[search]]\n".join(shapes))

        twin, found = beside("round >= 1"), beside("round >= 1", "round >= 0")
        assert differing(twin, found) == {"duplicate-behaviours": ("pass", "note")}


class TestPickedOnFinal:
    def test_fires(self, audited, monkeypatch):
        """What somebody locks who chooses by the final figures; the twin's study is searched honestly."""

        def shifted(table):
            final = pl.col("split") == "final"
            return table.with_columns(margin=pl.when(final).then(pl.col("margin") + 0.2).otherwise("margin"))

        twin = audited(shifted)
        select, opened = choosing.select, {}

        def prepare(source, real=searching.prepare):
            opened.update(study=source.study, prepared=real(source))
            return opened["prepared"]

        def by_final_figures(candidates, policy, *, reference=None):
            calibrators = searching.fit_calibrators(opened["study"], opened["prepared"])
            final = opened["prepared"].open("final", calibrators)
            there = figures_of([parse(text) for text in candidates["rule"]], final)
            chosen = select(there, policy, reference=reference)["rule"]
            return candidates.filter(pl.col("rule") == chosen).row(0, named=True)

        monkeypatch.setattr(searching, "prepare", prepare)
        monkeypatch.setattr(choosing, "select", by_final_figures)
        assert differing(twin, audited(shifted)) == {"picked-on-final": ("pass", "fail")}

    def test_notes_a_literal_cut(self, audited):
        """A number in the study comes from somewhere; where `?` stands, the search finds it."""
        search = 'rule = "margin > {}"\ncuts = [0.5]'
        twin, found = audited(search=search.format("?")), audited(search='rule = "margin > 0.5"')
        assert differing(twin, found) == {"picked-on-final": ("pass", "note")}


def by_chance(table: pl.DataFrame, *, seed: int = 3, better: float = 0.0, first: float = 0.5) -> pl.DataFrame:
    """Every answer right with probability 1/2; those with large margins more, those of round 1 as is said."""
    chance = pl.Series(np.random.default_rng(seed).random(table.height))
    share = pl.when(pl.col("round") == 1).then(first).otherwise(0.5) + better * (pl.col("margin").fill_null(0) > 1)
    right = (chance < share).cast(pl.Float64)
    return table.with_columns(right.alias("em"), right.alias("f1"), pl.col("margin").round(2))


WORSE = 'rule = "margin > ?"\ncuts = [-1.5, -1.25, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]'


def useless(cuts: str) -> dict[str, str]:
    """Rules that pick one of the rounds after the first, of which none is better."""
    return {"search": f'rule = "round >= 2 & margin > ?"\ncuts = {cuts}\n\n[[search]]\n{WORSE}'}


class TestOptimism:
    def test_fires(self, audited):
        """What the best of many useless rules gains was chosen, not earned; with one there is no choice."""
        twin, found = (
            audited(lambda table: by_chance(table, seed=3, first=0), **useless(cuts))
            for cuts in ("[0.5]", '"linspace(25)"')
        )
        assert differing(twin, found) == {"optimism": ("pass", "warn")}


class TestOverfitProbability:
    def test_fires(self, audited):
        """Nothing can be learnt among useless rules; beside worse ones, the choice stays in the upper half."""
        search = useless('"linspace(12)"')["search"]
        twin, found = (
            audited(lambda table: by_chance(table, seed=5, first=0), search=text)
            for text in (search, search.partition("\n\n")[0])
        )
        assert differing(twin, found) == {"overfit-probability": ("pass", "note")}


class TestFamilyWide:
    def test_fires(self, audited):
        """On these selection rows no rule beats the fixed depth; on the twin's some do."""

        def selection_only(better):
            def change(table):
                side = pl.col("split") == "selection"
                return pl.concat(
                    [
                        table.filter(~side).with_columns(pl.col("margin").round(2)),
                        by_chance(table.filter(side), seed=5, better=better),
                    ]
                )

            return audited(change)

        twin, found = selection_only(0.4), selection_only(0.0)
        assert differing(twin, found) == {"family-wide": ("pass", "warn")}

    def test_a_fixed_depth_has_nothing_to_beat(self, audited):
        """Where the policy chose the baseline itself."""
        assert audited(search='family = "fixed"')["family-wide"] == "note"

    def test_counts_rules_that_the_search_did_not_keep(self, tmp_path, monkeypatch):
        """Of a large sweep the best at each cost are listed; the test goes through all of it."""
        monkeypatch.setattr(family, "SWEPT_DRAWS", 20)
        study = prepared(tmp_path, search='rule = "margin > ? & coverage > ?"\ncuts = "exact"\nmax_cells = 5200')
        folder = searching.search_study(study, out=None, jobs=1, overrides=[]).folder
        lock = json.loads((folder / "lock.json").read_text())
        assert pl.read_parquet(folder / "candidates.parquet").height < lock["distinct"]
        found = next(each for each in audit_folder(folder)["checks"] if each["check"] == "family-wide")
        assert found["verdict"] == "pass"
        assert f"all {lock['tried']:,} rules counted" in found["cause"]


class TestDominated:
    def test_fires(self, audited, clean):
        """On the final rows every further round makes the answer worse: who stops earlier dominates."""

        def worse_with_rounds(table):
            final = pl.col("split") == "final"
            return table.with_columns(f1=pl.when(final).then(1 - pl.col("round") / 5).otherwise("f1"))

        assert differing(clean, audited(worse_with_rounds)) == {"dominated": ("pass", "warn")}


class TestSmallSample:
    @pytest.mark.parametrize(("groups", "verdict"), [(299, "note"), (99, "warn")])
    def test_fires(self, audited, clean, groups, verdict):
        """Too few groups in the final split."""
        last = sum((110, 320)) + groups
        found = audited(lambda table: table.filter(pl.col("question") < f"q{last:03}"))
        assert differing(clean, found) == {"small-sample": ("pass", verdict)}


class TestNoGainFromRounds:
    def test_fires(self, audited):
        """Later answers are not better than the first one."""

        def first(share):
            return audited(
                lambda table: by_chance(
                    table.with_columns(margin=pl.Series(noise(table))), seed=6, better=0.5, first=share
                )
            )

        assert differing(first(0.45), first(0.55)) == {"no-gain-from-rounds": ("pass", "note")}


class TestMoreThanOneLook:
    def test_notes_a_repeat(self, folder, clean):
        """The same lock again: nothing was chosen in between."""
        evaluating.evaluate_folder(folder)
        assert differing(clean, audit_verdicts(folder)) == {"more-than-one-look": ("pass", "note")}

    @pytest.mark.parametrize("written", ["before the first look", "after it"])
    def test_fires(self, tmp_path, clean, written):
        """A second lock: written before the first look it can be corrected for, after it not."""
        study = prepared(tmp_path)
        other = ["evaluate.seed=1"]

        def search(overrides=()):
            return searching.search_study(study, out=None, jobs=1, overrides=list(overrides)).folder

        if written == "before the first look":
            search()
        folder = search(other)
        evaluating.evaluate_folder(folder)
        search()
        evaluating.evaluate_folder(folder, look_again="a second thought")
        assert differing(clean, audit_verdicts(folder)) == {"more-than-one-look": ("pass", "warn")}
        said = next(each for each in audit_folder(folder)["checks"] if each["check"] == "more-than-one-look")
        assert ("0.05 / 2 = 0.025" in said["remedy"]) == (written == "before the first look")
        assert ("exploratory" in said["remedy"]) == (written == "after it")
        assert "a second thought" in said["cause"]


class TestLockIntegrity:
    def test_fires(self, folder, clean):
        """The evaluation counted more looks than the log holds."""
        counted = folder / "evaluation.json"
        counted.write_text(counted.read_text().replace('"looks": 1', '"looks": 2'))
        assert differing(clean, audit_verdicts(folder)) == {"lock-integrity": ("pass", "fail")}


class TestStaleVersions:
    def test_fires(self, folder, clean, monkeypatch):
        """The lock was written with another numpy than there is now."""
        real = integrity.version
        monkeypatch.setattr(integrity, "version", lambda name: "1.0" if name == "numpy" else real(name))
        assert differing(clean, audit_verdicts(folder)) == {"stale-versions": ("pass", "warn")}
