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
# # Choose a threshold
#
# A rule with a `?` has a threshold still to be chosen. Between two neighbouring observed values all thresholds behave
# alike, so every distinguishable one can be tried: what comes out is the whole curve, not a sample of it.

# %%
# %matplotlib inline
import stoprule as sr

t = sr.read_trajectories(
    "../examples/hotpotqa/hotpotqa_gemma3_270m.parquet",
    question="qid",
    answer="answer",
    cell="cell",
    quality="support_recall",
    outcomes=["em", "f1"],
    signals=["margin", "coverage", "overlap"],
)
len(t), t.rounds, t.named_cells

# %% [markdown]
# One threshold: stop when the answer repeats and the evidence covers enough of the question.

# %%
shape = sr.parse("repeat(answer) & coverage > ?")
curve = sr.cut_curve(shape, t)
sr.plot_threshold(curve, quality="support_recall", cost="calls").figure

# %% [markdown]
# Two thresholds: the whole plane, with the line along which the mean number of calls is 3.

# %%
plane = sr.cut_plane(sr.parse("coverage > ? | overlap > ?"), t)
sr.plot_plane(plane, budget=3.0, name="support_recall").figure

# %% [markdown]
# The best rule of a shape within a budget. Its cut is written as the shortest decimal of its plateau.

# %%
candidates = sr.search(sr.space({"rule": str(shape), "cuts": "exact"}, t), t)
chosen = sr.select(candidates, sr.Budget(3.5))
chosen["rule"], round(chosen["quality"], 4), round(chosen["cost"], 3)

# %% [markdown]
# This choice was made on all questions, so its figures are optimistic. A study (`stoprule run`) chooses on a selection
# split, locks the choice, and reports it once on questions that it never saw.
