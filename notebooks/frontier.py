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
# # The frontier of quality against calls
#
# Several hundred rules built from the recorded signals, each replayed on every trajectory, and those that no other
# dominates.

# %%
# %matplotlib inline
import stoprule as sr

t = sr.read_trajectories(
    "../examples/hotpotqa/hotpotqa_gemma3_270m.parquet",
    question="qid",
    answer="answer",
    cell="cell",
    quality="f1",
    outcomes=["em", "support_recall"],
    signals=["margin", "confidence", "coverage", "overlap"],
)
candidates = sr.search(sr.space("default", t), t)
front = sr.front(candidates)
len(candidates), len(front)

# %%
front.select("rule", "quality", "cost", "fired")

# %%
fixed = {f"fixed({k})": sr.replay(sr.fixed(k), t) for k in (1, 3, 5)}
points = {name: (one.cost.mean(), one.quality.mean()) for name, one in fixed.items()}
sr.plot_frontier(candidates, points=points, scale=100, quality="f1", cost="calls").figure

# %% [markdown]
# A small base model is distracted by more evidence: reading all five paragraphs costs five calls and is worse than
# reading one. The knee of the front is where another call stops paying.

# %%
sr.knee(candidates).select("rule", "quality", "cost")

# %% [markdown]
# One question, followed round by round: what the rule saw, and why it stopped there.

# %%
rule = sr.parse(sr.knee(candidates)["rule"][0])
sr.plot_question(sr.explain(rule, t, t.question[0])).figure
