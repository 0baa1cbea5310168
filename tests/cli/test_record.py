"""`stoprule record controller` on the inventory that ships with the project."""

import json
from pathlib import Path

import polars as pl
from stoprule.retrieval.record import record_controller

INVENTORY = Path(__file__).parents[2] / "examples" / "inventory"


class TestRecordController:
    def test_writes_what_the_function_writes(self, stoprule, tmp_path):
        """The command is the function, with a table of the policies."""
        answered = stoprule("record", "controller", "--corpus", INVENTORY, "--out", tmp_path / "by-command.parquet")
        assert answered.status == 0, answered.err
        record_controller(INVENTORY, out=tmp_path / "by-function.parquet")
        for kind in ("parquet", "beside.parquet"):
            by_command, by_function = (tmp_path / f"{by}.{kind}" for by in ("by-command", "by-function"))
            assert by_command.read_bytes() == by_function.read_bytes()
        assert "adaptive" in answered.out

    def test_prints_json(self, stoprule, tmp_path):
        """One object, a policy a row."""
        out = tmp_path / "t.parquet"
        answered = stoprule("record", "controller", "--corpus", INVENTORY, "--out", out, "--json")
        rows = {row["policy"]: row for row in json.loads(answered.out)["policies"]}
        assert rows.keys() == {"lexical", "dense", "adaptive", "always"}
        assert rows["always"]["calls"] == 2 * pl.read_parquet(out)["question"].n_unique()

    def test_the_recording_is_a_sound_table(self, stoprule, tmp_path):
        """It goes straight into `check`."""
        out = tmp_path / "t.parquet"
        stoprule("record", "controller", "--corpus", INVENTORY, "--out", out)
        assert stoprule("check", out, "--quality", "ndcg4", "--cost", "calls").status == 0

    def test_refuses_what_is_not_there(self, stoprule, tmp_path):
        """One line, exit status 2, nothing written."""
        refused = stoprule("record", "controller", "--corpus", tmp_path / "none", "--out", tmp_path / "t.parquet")
        assert (refused.status, len(refused.err.strip().splitlines())) == (2, 1)
        assert not list(tmp_path.iterdir())
