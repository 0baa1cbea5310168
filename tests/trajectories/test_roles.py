import pytest
from stoprule.trajectories.errors import RoleError, TrajectoryError
from stoprule.trajectories.roles import Roles, resolve

COLUMNS = ("question", "round", "f1", "answer", "cost", "margin")


class TestResolve:
    """Every role gets its column."""

    def test_takes_the_column_of_the_roles_own_name(self):
        """Fill in roles that were not named, and guess nothing else."""
        roles = resolve(COLUMNS, quality="f1")
        assert roles == Roles(quality="f1", answer="answer", cost="cost")
        assert resolve([*COLUMNS, "qid", "quality"]).question == "question"

    def test_takes_no_column_for_an_empty_name(self):
        """Leave a role without a column when its name is empty."""
        assert resolve(COLUMNS, quality="f1", cost="").cost is None

    @pytest.mark.parametrize("role", ["question", "round", "quality"])
    def test_needs_question_round_and_quality(self, role):
        """Say which role has no column and which columns there are."""
        columns = [name for name in ("question", "round", "quality", "f1") if name != role]
        with pytest.raises(TrajectoryError, match=rf"role {role} has no column.*--{role} COLUMN.*f1"):
            resolve(columns)
        with pytest.raises(TrajectoryError, match=rf"role {role} has no column"):
            resolve([*columns, role], **{role: ""})

    @pytest.mark.parametrize(
        ("given", "use"),
        [
            ({"quality": "margn"}, "the role quality"),
            ({"quality": "f1", "cell": "margn"}, "the role cell"),
            ({"quality": "f1", "outcomes": ["margn"]}, "outcomes"),
            ({"quality": "f1", "signals": ["margn"]}, "signals"),
        ],
    )
    def test_names_the_nearest_column(self, given, use):
        """Refuse a column that does not exist, with the one that was probably meant."""
        with pytest.raises(TrajectoryError, match=rf"log.csv: no column 'margn' for {use} \(did you mean 'margin'"):
            resolve(COLUMNS, where="log.csv", **given)

    def test_keeps_outcomes_out_of_the_signals(self):
        """Refuse the quality or an outcome as a signal; name the quality once."""
        assert resolve(COLUMNS, quality="f1", outcomes=["f1", "margin"]).outcomes == ("margin",)
        with pytest.raises(TrajectoryError, match="'f1' is the quality and a rule may not read it"):
            resolve(COLUMNS, quality="f1", signals=["f1"])
        with pytest.raises(TrajectoryError, match="'margin' is an outcome"):
            resolve(COLUMNS, quality="f1", outcomes=["margin"], signals=["margin"])

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"quality": "f1", "cost": "f1"}, "'f1' is the quality .* it is the cost as well; .* none as cost=''"),
            ({"quality": "f1", "outcomes": ["cost"]}, "'cost' is an outcome .* it is the cost as well"),
            ({"quality": "f1", "answer": "f1"}, "'f1' is the quality .* it is the answer as well"),
            ({"quality": "round"}, "'round' is the quality .* it is the round as well; name another column as round$"),
        ],
    )
    def test_keeps_outcomes_out_of_what_a_rule_reads(self, given, message):
        """Refuse an outcome that a rule could read as the cost, the answer or the round."""
        with pytest.raises(RoleError, match=message):
            resolve(COLUMNS, **given)
        assert resolve(COLUMNS, quality="f1", outcomes=["cost"], cost="").cost is None

    def test_names_the_column_that_is_meant_for_a_role(self):
        """Propose a column that differs by case or blanks from the role's own name."""
        with pytest.raises(RoleError, match=r"the role round has no column \(did you mean ' round'\?\)"):
            resolve(["question", " round", " f1"], quality=" f1")

    def test_takes_one_name_for_a_list(self):
        """Read a plain string as a list of one."""
        assert resolve(COLUMNS, quality="f1", signals="margin").signals == ("margin",)

    @pytest.mark.parametrize("bad", [(1, 0), (0, 0), (0, float("inf")), (float("nan"), 1), (0,), "ab"])
    def test_refuses_an_empty_range(self, bad):
        """Ask for a lowest and a highest quality."""
        with pytest.raises(TrajectoryError, match="range"):
            resolve(COLUMNS, quality="f1", range=bad)

    def test_refuses_unknown_words(self):
        """Name the nearest normaliser and preset."""
        with pytest.raises(TrajectoryError, match=r"'robus'.*did you mean 'robust'"):
            resolve(COLUMNS, quality="f1", normalise="robus")
        with pytest.raises(TrajectoryError, match=r"'tsar'.*did you mean 'tasr'"):
            resolve(COLUMNS, quality="f1", preset="tsar")
        with pytest.raises(TypeError, match="'metric'"):
            resolve(COLUMNS, metric="f1")


class TestTasrPreset:
    """The column names of the published package."""

    COLUMNS = (
        "qid",
        "round",
        "current_answer",
        "current_em",
        "current_f1",
        "llm_confidence",
        "n_tokens",
        "cost",
    )

    def test_maps_the_published_names(self):
        """Take the published columns that the log has, and its normaliser; n_tokens is no cost."""
        assert resolve(self.COLUMNS[:-1], preset="tasr") == Roles(
            question="qid",
            answer="current_answer",
            quality="current_f1",
            outcomes=("current_em",),
            signals=("llm_confidence", "n_tokens"),
            normalise="tasr",
        )

    def test_gives_way_to_what_is_named(self):
        """Prefer the user's word to the preset's, and the preset's to a column of the role's own name."""
        roles = resolve(self.COLUMNS, preset="tasr", quality="current_em", signals=["n_tokens"], normalise="squad")
        assert (roles.quality, roles.outcomes) == ("current_em", ("current_f1",))
        assert (roles.signals, roles.normalise, roles.cost) == (("n_tokens",), "squad", "cost")
        assert resolve([*self.COLUMNS, "question"], preset="tasr").question == "qid"

    def test_needs_its_columns(self):
        """Refuse a log without the answers that the preset names."""
        with pytest.raises(TrajectoryError, match="no column 'current_answer' for the role answer"):
            resolve(["qid", "round", "current_f1"], preset="tasr")
