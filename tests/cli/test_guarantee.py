"""Policy guarantee from end to end: what chooses, what tests, what the artefacts say."""

import json
from html import escape
from pathlib import Path

import polars as pl
import pytest
from stoprule.analysis.guarantee import parts
from stoprule.analysis.units import ranked
from stoprule.cli.choosing import choose
from stoprule.cli.preparing import fit_calibrators, prepare
from stoprule.cli.source import source_of_study
from stoprule.enumerate.replay import replay
from stoprule.rules.lockfile import read_lock
from stoprule.rules.text import parse

from .conftest import contents
from .small_study import STUDY, Made, made, recorded, written

FEWER = 'preset = "default"', 'rule = "margin_cal > ?"\ncuts = "linspace(12)"'  # rules
ASKED = 'policy = "guarantee"\nmax_loss = 0.3\nalpha = 0.1\nof = "fixed(4)"'


def under(asked: str) -> str:
    """The small study under a guarantee."""
    return STUDY.replace('policy = "budget"\nmax_cost = 3', asked)


@pytest.fixture
def held(tmp_path: Path):
    """Write a study under a guarantee, its policy changed or not."""

    def write(asked: str = ASKED, *, changed: tuple[str, str] = ("", ""), questions: int = 150) -> Path:
        text = under(asked)
        return written(tmp_path, text.replace(*changed) if changed[0] else text, recorded(questions))

    return write


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Made:
    """The study under the guarantee as asked, run once; nothing in it is to be changed."""
    return made(written(tmp_path_factory.mktemp("held"), under(ASKED), recorded(150)).parent)


def opened(study: Path):
    """The calibrated selection rows of a study, and the study."""
    source = source_of_study(study, [])
    prepared = prepare(source)
    return prepared.open("selection", fit_calibrators(source.study, prepared)), source.study


class TestSearch:
    def test_the_lock_holds_what_was_tested(self, stoprule, held):
        """Keep the certifying ids, the claim, the figures of both parts and every test up to the first failure."""
        study = held()
        answered = stoprule("search", study)
        assert answered.status == 0, answered.err
        lock = read_lock(study.parent / "out" / "lock.json")
        content, entry = lock.content, lock.content["guarantee"]
        selection = content["split"]["selection_ids"]
        a = set(ranked("guarantee", selection)[: len(selection) // 3])
        assert content["certifying_ids"] == sorted(set(selection) - a)
        assert [each["passed"] for each in entry["tested"][:-1]] == [True] * (len(entry["tested"]) - 1)
        passed = [each["rule"] for each in entry["tested"] if each["passed"]]
        assert str(lock.rule) == (passed[-1] if passed else "round >= 4")
        t, _ = opened(study)
        halves = parts(t)
        for side, figures in (
            (halves.choosing, content["selection_figures"]),
            (halves.certifying, content["selection_figures"]["certifying"]),
        ):
            assert figures["quality"] == pytest.approx(replay(lock.rule, side).quality.mean())
            assert figures["cost"] == pytest.approx(replay(lock.rule, side).cost.mean())
        assert entry["claim"] in answered.out.replace("\n", " ") or "on new groups" in answered.out

    def test_tables_hold_the_choosing_third(self, ran):
        """Take figures, behaviours and front from A alone."""
        halves = parts(opened(ran.study)[0])
        frame = pl.read_parquet(ran.searched / "candidates.parquet")
        for text, quality, cost in frame.select("rule", "quality", "cost").sample(20, seed=1).iter_rows():
            stopped = replay(parse(text), halves.choosing)
            assert (quality, cost) == pytest.approx((stopped.quality.mean(), stopped.cost.mean()))
        front = pl.read_csv(ran.searched / "front.csv", infer_schema=False)["rule"].to_list()
        assert front == frame.filter("on_front")["rule"].to_list()

    def test_stop_rounds_are_of_the_choosing_third(self, ran):
        """Tell of A alone where rules, baselines and the oracle stop: the report draws them beside the candidates."""
        choosing = parts(opened(ran.study)[0]).choosing
        front = {row["rule"]: row["quality"] for row in pl.read_csv(ran.searched / "front.csv").iter_rows(named=True)}
        stopping = pl.read_parquet(ran.searched / "stopping.parquet")
        for (rule,), cells in stopping.group_by("rule"):
            assert cells["n"].sum() == len(choosing)
            assert cells["quality"].mean() == pytest.approx(front.get(rule, cells["quality"].mean()))
        assert set(front) <= set(stopping["rule"])
        assert "groups that chose; the other" in (ran.out / "report.html").read_text(encoding="utf-8")

    def test_the_page_tells_the_tests(self, ran):
        """List the tested rules in their order."""
        page = (ran.out / "report.html").read_text(encoding="utf-8")
        tested = read_lock(ran.out / "lock.json").content["guarantee"]["tested"]
        begin = page.index("Rules tested on the certifying groups")
        listed = page[begin : page.index("</table>", begin)]
        at = [listed.index(f"<code>{escape(each['rule'])}</code>") for each in tested]
        assert at == sorted(at)
        assert listed.count(">passed<") == sum(each["passed"] for each in tested)

    def test_b_changes_no_candidate(self, stoprule, held, ran):
        """Other outcomes of certifying questions: the same cuts, candidates and front, to the byte."""
        study = held()
        ids = read_lock(ran.searched / "lock.json").content["certifying_ids"]
        table = pl.read_parquet(study.parent / "table.parquet")
        of_b = pl.col("question").is_in(ids)
        spoilt = table.with_columns(
            f1=pl.when(of_b).then(1 - pl.col("f1")).otherwise(pl.col("f1")),
            margin=pl.when(of_b).then(-pl.col("margin")).otherwise(pl.col("margin")),
        )
        spoilt.write_parquet(study.parent / "table.parquet")
        stoprule("search", study)
        before, after = contents(ran.searched), contents(study.parent / "out")
        assert before["lock.json"] != after["lock.json"]
        for name in ("candidates.parquet", "front.csv"):
            assert before[name] == after[name]

    @pytest.mark.usefixtures("profiles")
    def test_the_same_bytes_twice(self, stoprule, held, ran):
        """Depend on no seed, clock or number of workers (case 21)."""
        study = held()
        assert stoprule("run", study, "--jobs", 2).status in (0, 1)
        assert contents(study.parent / "out") == contents(ran.out)

    def test_every_artefact_carries_the_claim(self, ran):
        """Repeat the claim in evaluation and audit, the final loss beside it."""
        claim = read_lock(ran.out / "lock.json").content["guarantee"]["claim"]
        evaluation = json.loads((ran.out / "evaluation.json").read_text())
        assert evaluation["guarantee"]["claim"] == claim
        assert evaluation["verdicts"][-1].startswith(f"{claim}; on the final split the mean loss is")
        checks = {each["check"]: each for each in json.loads((ran.out / "audit.json").read_text())["checks"]}
        assert claim in checks["optimism"]["cause"]
        assert "breaks it on the other in" in checks["overfit-probability"]["cause"]
        assert "on the groups that chose less that on" in checks["optimism"]["what"]

    def test_none_passed(self, stoprule, held):
        """Lock the reference itself where no rule passes, with its row and the audit in order."""
        study = held(ASKED.replace("0.3", "0.001").replace("0.1", "1e-9"), changed=FEWER)
        answered = stoprule("run", study)
        assert answered.status in (0, 1), answered.err
        lock = read_lock(study.parent / "out" / "lock.json").content
        assert (lock["rule"], lock["guarantee"]["certified"]) == ("round >= 4", 0)
        assert [each["passed"] for each in lock["guarantee"]["tested"]] == [False]
        assert "no rule passed: the answer is fixed(4) itself" in " ".join(answered.out.split())
        audited = json.loads((study.parent / "out" / "audit.json").read_text())
        causes = " ".join(each["cause"] for each in audited["checks"])
        assert "the candidates of this lock are not in the folder" not in causes
        evaluation = json.loads((study.parent / "out" / "evaluation.json").read_text())
        assert evaluation["contenders"]

    def test_power_is_told(self, stoprule, held):
        """Say what could be certified, before what was."""
        said = " ".join(stoprule("search", held(changed=FEWER)).out.split())
        assert "certifying questions, sd" in said
        assert "points at 80% power; never below" in said
        assert said.index("at 80% power") < said.index("tested in turn")

    def test_json(self, stoprule, held):
        """Give programs the certificate too."""
        found = json.loads(stoprule("search", held(changed=FEWER), "--json").out)
        a, b = (found["guarantee"][f"{part}_groups"] for part in ("choosing", "certifying"))
        assert a == (a + b) // 3

    def test_further_limits(self, stoprule, held):
        """Take every cell and every outcome that the study names."""
        study = held(f"{ASKED}\nin_every_cell = true\nalso = {{ em = 0.4 }}", changed=FEWER)
        assert stoprule("search", study).status == 0
        constraints = read_lock(study.parent / "out" / "lock.json").content["guarantee"]["constraints"]
        assert [(each["outcome"], each["cell"]) for each in constraints] == [
            ("f1", "dense"),
            ("f1", "lexical"),
            ("em", "dense"),
            ("em", "lexical"),
        ]

    def test_the_fast_path_of_the_simulation(self, held):
        """Choose what search, sequence and trial choose, which the long suite simulates."""
        from stoprule.analysis.guarantee import Trial, sequence
        from stoprule.cli.choosing import policy_of
        from stoprule.enumerate.search import search
        from stoprule.enumerate.space import space

        t, study = opened(held())
        trial = Trial(policy_of(study.select), parts(t))
        a = trial.parts.choosing
        entries = [*(each.model_dump() for each in study.search), {"rule": study.select.of}]
        passed = trial.passed(trial.run(sequence(search(space(entries, a), a))))
        assert choose(study, t, jobs=1).chosen["rule"] == str(passed[-1] if passed else trial.of)


class TestRefusals:
    @pytest.mark.parametrize(
        ("asked", "changed", "said"),
        [
            (ASKED, ('target = "em"', 'target = "em"\nfit = "selection"'), 'so write fit = "calibration"'),
            (ASKED, ("range = [0, 1]\n", ""), "needs data.range"),
            (ASKED.replace("fixed(4)", "marginn > 1"), ("", ""), "marginn"),
            (ASKED.replace("fixed(4)", "oracle"), ("", ""), "cannot be deployed"),
            (ASKED.replace("fixed(4)", "em > 0"), ("", ""), "em"),
            (ASKED.replace("alpha = 0.1\n", ""), ("", ""), 'policy "guarantee" needs alpha'),
            (ASKED.replace("0.1", "1.5"), ("", ""), "alpha must lie between 0 and 1"),
            (f"{ASKED}\nprice = 1.0", ("", ""), 'policy "guarantee" does not use price'),
            (f'{ASKED}\ntest = "t"', ("", ""), "select.test"),
            (f"{ASKED}\nalso = {{ recall = 0.1 }}", ("", ""), "select.also: no outcome 'recall'"),
        ],
    )
    def test_one_line(self, stoprule, held, asked, changed, said):
        """Refuse with status 2, on one line, and leave nothing."""
        study = held(asked, changed=changed)
        answered = stoprule("search", study)
        assert answered.status == 2
        assert said in answered.err
        assert len([line for line in answered.err.splitlines() if line.startswith("stoprule:")]) == 1
        assert not (study.parent / "out" / "lock.json").exists()

    def test_too_few_groups(self, stoprule, held):
        """Refuse a selection split of two groups."""
        answered = stoprule("search", held(questions=6))
        assert (answered.status, "record more questions" in answered.err) == (2, True)
