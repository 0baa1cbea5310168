"""The study file: what it may say, and the one line that a mistake earns."""

from pathlib import Path

import pytest
from stoprule.cli.study import load_study
from stoprule.trajectories.errors import StudyError

SOUND = """\
[data]
path = "table.parquet"
quality = "f1"
signals = ["margin"]

[calibrate.margin_cal]
signal = "margin"
target = "em"

[[search]]
preset = "default"

[[search]]
rule = "margin > ?"
cuts = "quantiles(9)"

[select]
policy = "budget"
max_cost = 3

[evaluate]
baselines = ["fixed(1)"]
"""


@pytest.fixture
def written(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "study.toml"
        path.write_text(text)
        return path

    return write


class TestLoadStudy:
    def test_reads_every_section(self, written):
        """Keep what is written and fill in the defaults."""
        study = load_study(written(SOUND))
        assert study.data.signals == ["margin"]
        assert study.calibrate["margin_cal"].method == "isotonic"
        assert [each.preset or each.rule for each in study.search] == ["default", "margin > ?"]
        assert study.select.max_cost == 3.0
        assert (study.evaluate.draws, study.evaluate.seed) == (10_000, 42)

    def test_takes_overrides(self, written):
        """Set keys by their dotted name: TOML values, or else plain text."""
        study = load_study(written(SOUND), ["select.max_cost=2.5", "data.answer=said", "split.seed = 9"])
        assert (study.select.max_cost, study.data.answer, study.split.seed) == (2.5, "said", 9)

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("policy =", "polcy =", 'line 18: [select] has no key "polcy"; the nearest one is "policy"'),
            ("[select]", "[selct]", 'line 17: there is no table "selct"; the nearest one is "select"'),
            (
                "target =",
                "taget =",
                'line 8: [calibrate.margin_cal] has no key "taget"; the nearest one is "target"',
            ),
            (
                'cuts = "quantiles(9)"',
                "cut = 9",
                'line 15: [search.2] has no key "cut"; the nearest one is "cuts"',
            ),
            (
                "max_cost = 3",
                'max_cost = "3"',
                "line 19: select.max_cost: input should be a valid number, not '3'",
            ),
            ("max_cost = 3", "", 'policy "budget" needs max_cost'),
            ("max_cost = 3", "max_cost = 3\nprice = 1.0", 'policy "budget" does not use price'),
            ('target = "em"', "", "[calibrate.margin_cal] needs target"),
            ('preset = "default"', "", "each [[search]] names one of preset, family, rule"),
            ('path = "table.parquet"', "", "name the data once"),
            ('signals = ["margin"]', 'signals = ["margin_cal"]', "take it off data.signals"),
            ("[data]", "[data", "is no valid TOML"),
            ("policy =", "# policy =", "line 17: [select] needs policy"),
            ('["fixed(1)"]', "[]", "line 22: evaluate.baselines: a list of at least 1 is expected, not []"),
            ('["fixed(1)"]', "[1]", "line 22: evaluate.baselines.1: input should be a valid string, not 1"),
            ('"quantiles(9)"', '["a"]', 'line 15: search.2.cuts: a list of numbers, or a text such as "exact", is'),
            ('"quantiles(9)"', "0.5", 'line 15: search.2.cuts: a list of numbers, or a text such as "exact", is'),
            ('rule = "margin > ?"', "", "line 13: search.2: each [[search]] names one of preset, family, rule"),
            (
                'signals = ["margin"]',
                'signals = ["margin"]\nrange = [0]',
                "data.range: a list of at least 2 is expected",
            ),
            ("[select]", "[[select]]", "line 17: select: a table of keys is expected, not [{"),
            (
                'path = "table.parquet"',
                "cells = 3",
                "line 2: data.cells: a list is expected, as [[data.cells]] makes one",
            ),
        ],
    )
    def test_explains_a_mistake(self, written, old, new, said):
        """Name the file, the place, and the way out, on one line."""
        path = written(SOUND.replace(old, new, 1))
        with pytest.raises(StudyError) as caught:
            load_study(path)
        message = str(caught.value)
        assert message.startswith(str(path))
        assert said in message
        assert "\n" not in message

    @pytest.mark.parametrize("override", ["select.max_cost", "=3", "select..x=1", "data.path.deeper=1"])
    def test_refuses_an_override_that_sets_nothing(self, written, override):
        """Say how an override is written."""
        with pytest.raises(StudyError, match=r"section\.key=value"):
            load_study(written(SOUND), [override])

    def test_refuses_a_file_that_is_not_there(self, tmp_path):
        """Name the missing file."""
        with pytest.raises(StudyError, match=r"none\.toml: cannot be read"):
            load_study(tmp_path / "none.toml")

    def test_refuses_cells_without_rows(self, written):
        """Refuse a cell with neither a selection file nor another cell to borrow from."""
        cells = '[[data.cells]]\nname = "a"\nfinal = "a.parquet"\n'
        text = SOUND.replace('path = "table.parquet"\n', "").replace("\n[calibrate", f"\n{cells}\n[calibrate", 1)
        with pytest.raises(StudyError, match=r"line 5: .*neither a selection file nor calibration_from"):
            load_study(written(text))
        with pytest.raises(StudyError, match=r'line 5: .*"a" borrows from itself; leave calibration_from out'):
            load_study(written(text.replace('final = "a.parquet"', 'calibration_from = "a"')))
