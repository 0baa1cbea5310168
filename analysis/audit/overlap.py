"""split-overlap: the same question on two sides, by id, by wording, or nearly so."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ...trajectories.answers import normalise
from ...trajectories.splits import on_several_sides, overlaps
from .evidence import Evidence
from .findings import Answer, listed

NEAR = 0.9  # cosine of character 3- to 5-grams, tf-idf; templates with another entity stay below it
SHORTEST = 12  # characters; n-grams say little about shorter texts
ROWS_AT_ONCE = 512
NUMBER = re.compile(r"\d+")  # "in 1996" and "in 1997" ask different things
WHAT = "questions on two sides"


def split_overlap(e: Evidence) -> Answer:
    """Ids, groups, texts normalised by `robust`, and near duplicates by character n-grams, over all cells."""
    shared = overlaps(e.split)
    ids = shared["question"] or shared["group"]
    if ids:
        kind = "question" if shared["question"] else "group"
        return Answer(
            "fail",
            len(ids),
            WHAT,
            f"the same {kind} is on two sides{_across_cells(e, ids, kind)}: {listed(ids)}",
            "keep every question on one side in all cells: split by hash, or mend the split column or the files",
        )
    texts = [normalise(text) for text in e.structure["text"]]
    if not any(texts):
        return Answer(
            "note",
            0,
            WHAT,
            "no id is on two sides; the wording of the questions is not recorded, so it was not compared",
            "name the column of the questions' wording as text",
        )
    same = on_several_sides(e.split, texts)
    if same:
        return Answer(
            "fail",
            len(same),
            WHAT,
            f"questions with other ids but the same wording are on two sides: {listed([repr(text) for text in same])}",
            "give such questions one id or one group, and search again",
        )
    near = near_duplicates(texts, e.split.labels)
    if near:
        first = " and ".join(repr(text) for text in near[0])
        return Answer(
            "warn",
            len(near),
            "pairs of nearly the same wording on two sides",
            f"questions of nearly the same wording are on two sides: {first}",
            "look at the pairs; where they ask the same, give them one group and search again",
        )
    return Answer("pass", 0, WHAT, "no id, wording or near duplicate is on two sides")


def _across_cells(e: Evidence, ids: tuple[str, ...], kind: str) -> str:
    """Says so when every cell by itself has the ids on one side, and only together they cross."""
    keys = zip(getattr(e.split, kind), e.structure["cell"], e.split.labels, strict=True)
    crossing = Counter((key, cell) for key, cell, side in {each for each in keys if each[2]} if key in set(ids))
    return "" if max(crossing.values()) > 1 else ", one in one cell and one in another"


def near_duplicates(texts: list[str], sides: NDArray[np.object_]) -> list[tuple[str, str]]:
    """Pairs of different texts on different sides whose character n-grams nearly agree.

    Parameters
    ----------
    texts : N normalised texts, "" where there is none
    sides : (N,) object array of str
        "" for a trajectory on no side.

    Returns
    -------
    list of (text, text)
        The most alike first.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    pairs = {(text, side) for text, side in zip(texts, sides, strict=True) if side and len(text) >= SHORTEST}
    wordings = sorted(pairs)
    if len({side for _, side in wordings}) < 2:
        return []
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), lowercase=False)
    vectors = grams.fit_transform([text for text, _ in wordings])
    found = []
    for start in range(0, len(wordings), ROWS_AT_ONCE):
        alike = (vectors[start : start + ROWS_AT_ONCE] @ vectors.T).tocoo()
        close = alike.data >= NEAR
        for i, j, cosine in zip(alike.row[close] + start, alike.col[close], alike.data[close], strict=True):
            (one, side), (other, its_side) = wordings[i], wordings[j]
            if i < j and side != its_side and one != other and NUMBER.findall(one) == NUMBER.findall(other):
                found.append((-round(float(cosine), 12), one, other))
    return [(one, other) for _, one, other in sorted(set(found))]
