# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # An audit finds the leak
#
# The same study twice: once on the signals as they were recorded, once with the margin standardised over *all* rounds
# of its question. Such a z-score looks into the future: it needs rounds that have not happened when the rule decides.

# %%
import tempfile
from pathlib import Path

import polars as pl
from stoprule.cli.auditing import audit_folder
from stoprule.cli.evaluating import evaluate_folder
from stoprule.cli.searching import search_study

recorded = pl.read_parquet("../examples/hotpotqa/hotpotqa_gemma3_270m.parquet")
margin = pl.col("margin")
rounds = ("cell", "qid")
peeking = recorded.with_columns(margin=(margin - margin.mean().over(rounds)) / margin.std().over(rounds))

STUDY = """
[data]
path = "table.parquet"
question = "qid"
cell = "cell"
quality = "f1"
range = [0, 1]
outcomes = ["em", "support_recall", "support_all"]
signals = ["margin", "coverage"]

[[search]]
rule = "margin > ?"
cuts = "exact"

[[search]]
rule = "coverage > ?"
cuts = "exact"

[select]
policy = "budget"
max_cost = 3

[evaluate]
draws = 1000
"""


def audited(table: pl.DataFrame) -> pl.DataFrame:
    """Search, evaluate and audit in a folder that is thrown away; the checks that did not pass."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        table.write_parquet(here / "table.parquet")
        (here / "study.toml").write_text(STUDY)
        found = search_study(here / "study.toml", out=None, jobs=1, overrides=[], pictures=False)
        evaluate_folder(found.folder, pictures=False)
        checks = pl.DataFrame(audit_folder(found.folder)["checks"], infer_schema_length=None)
    return checks.filter(pl.col("verdict").is_in(["warn", "fail"])).select("check", "verdict", "cause")


# %% [markdown]
# As recorded:

# %%
audited(recorded)

# %% [markdown]
# With the z-score over the whole question:

# %%
leaky = audited(peeking)
assert "future-peek" in leaky.filter(pl.col("verdict") == "fail")["check"].to_list()
leaky
