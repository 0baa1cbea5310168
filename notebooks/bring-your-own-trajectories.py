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
# # Bring your own trajectories
#
# Self-consistency as an example: sample an answer again and again, and stop when one answer leads clearly. Any process
# will do that can be logged as one row per question and round: what was known then, and how good it was to stop there.

# %%
from collections import Counter

import numpy as np
import polars as pl
import stoprule as sr

rng = np.random.default_rng(0)
rows = []
for question in range(300):
    hard = rng.beta(2, 2)  # chance that one sample is right
    said = []
    for round_ in range(1, 11):
        said.append("right" if rng.random() < hard else rng.choice(["wrong", "other"]))
        (leader, votes), *others = Counter(said).most_common()
        runner_up = others[0][1] if others else 0
        rows.append(
            {
                "question": question,
                "round": round_,
                "answer": leader,
                "lead": votes - runner_up,
                "share": votes / round_,
                "quality": float(leader == "right"),
            }
        )
t = sr.read_trajectories(pl.DataFrame(rows), signals=["lead", "share"])
len(t), t.rounds

# %% [markdown]
# Rules are values: they print themselves, compare, and read back.

# %%
rule = (sr.signal("lead") >= 3) | (sr.ROUND >= 7)
assert sr.parse(str(rule)) == rule
result = sr.replay(rule, t)
str(rule), result.quality.mean(), result.cost.mean()

# %%
candidates = sr.search(sr.space([{"preset": "default"}, {"rule": "lead > ? & share > ?", "cuts": "exact"}], t), t)
chosen = sr.select(candidates, sr.Retain(0.98, of="fixed(10)"))
chosen["rule"], chosen["quality"], chosen["cost"]

# %% [markdown]
# The same rule live, one round at a time, as replay decided:

# %%
stopper = sr.Stopper(sr.parse(chosen["rule"]), ignore=("lead", "share"), cost_is_round=True)
first = pl.DataFrame(rows).filter(pl.col("question") == 0)
for row in first.iter_rows(named=True):
    decision = stopper.observe(answer=row["answer"], lead=row["lead"], share=row["share"])
    if decision.stop:
        break
decision
