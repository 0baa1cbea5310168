"""Record the early exit of a random forest on scikit-learn's digits: one round a tree.

Writes digits.parquet beside this file. Usage: python record.py
"""

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

TREES = 40
DEPTH = 6
SEED = 0


def record() -> pl.DataFrame:
    """One row per unseen image and tree: the running vote, its margin and entropy, and whether it is right."""
    digits = load_digits()
    train, unseen = train_test_split(
        np.arange(len(digits.target)), train_size=0.3, random_state=SEED, stratify=digits.target
    )
    unseen.sort()
    forest = RandomForestClassifier(n_estimators=TREES, max_depth=DEPTH, random_state=SEED)
    forest.fit(digits.data[train], digits.target[train])
    votes = np.stack([tree.predict_proba(digits.data[unseen]) for tree in forest.estimators_])
    frames = []
    for trees in range(1, TREES + 1):
        share = votes[:trees].mean(axis=0)
        vote = share.argmax(axis=1)
        ranked = np.sort(share, axis=1)
        frames.append(
            pl.DataFrame(
                {
                    "image": unseen,
                    "trees": trees,
                    "answer": vote.astype(str),
                    "margin": ranked[:, -1] - ranked[:, -2],
                    "entropy": -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1),
                    "right": (vote == digits.target[unseen]).astype(float),
                }
            )
        )
    return pl.concat(frames).sort("image", "trees")


if __name__ == "__main__":
    out = Path(__file__).with_name("digits.parquet")
    frame = record()
    frame.write_parquet(out)
    print(f"{out.name}: {frame['image'].n_unique()} images x {TREES} trees")
