"""When two answers count as the same, and how good an answer is."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .roles import Normaliser, normaliser

if TYPE_CHECKING:
    import polars as pl

ARTICLES = frozenset({"a", "an", "the"})
ARTICLE = re.compile(r"\b(a|an|the)\b")
NO_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
NO_MARKS = str.maketrans("", "", "".join(set(string.punctuation) - set(".+-")))  # these may belong to a number
CLOSED = frozenset({"yes", "no", "noanswer"})  # HotpotQA: such an answer is wholly right or wholly wrong

# Acute and prime would decompose into a space and an accent, so quotes are folded before NFKC; a superscript
# minus becomes U+2212 in it, so dashes are folded after. One table serves both.
FOLDED = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʹʼ´`", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−⁃", "-"),
    }
)
# A sign or point that is no part of a number; what makes it one stands behind it.
LOOSE_MARK = re.compile(
    r"""[.+-](?!
        (?<=(?<!\S)[+-])\.?\d    # the sign that opens a number
      | (?<=(?<!\S)\.)\d         # the point that opens one,
      | (?<=(?<!\S)[+-]\.)\d     # also after its sign
      | (?<=\d\.)\d              # a point between digits
      | (?<=\de[+-])\d           # the sign of an exponent
    )""",
    re.VERBOSE,
)
NON_ASCII = re.compile(r"[^\x00-\x7f]")


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _without(text: str, kind: str) -> str:
    """The text without the non-ASCII characters of a Unicode category."""
    return NON_ASCII.sub(lambda c: "" if unicodedata.category(c[0]).startswith(kind) else c[0], text)


def _folded(text: str) -> str:
    """NFKC, casefolded, quotes and dashes folded, without invisible or non-ASCII punctuation characters."""
    visible = _without(text, "Cf").translate(FOLDED)
    return _without(unicodedata.normalize("NFKC", visible).casefold().translate(FOLDED), "P")


def _robust(text: str) -> str:
    folded = text.lower() if text.isascii() else _folded(text)
    bare = LOOSE_MARK.sub("", folded.translate(NO_MARKS))
    words = unicodedata.normalize("NFKC", bare).split()
    return " ".join([word for word in words if word not in ARTICLES] or words)


def _squad(text: str) -> str:
    return _spaced(ARTICLE.sub(" ", text.lower().translate(NO_ASCII_PUNCTUATION)))


def _tasr(text: str) -> str:
    return _spaced(ARTICLE.sub(" ", text.lower()).translate(NO_ASCII_PUNCTUATION))


NORMALISERS: Mapping[Normaliser, Callable[[str], str]] = {
    "robust": _robust,
    "squad": _squad,
    "tasr": _tasr,
    "exact": str,
}


def normalise(text: str | None, how: Normaliser = "robust") -> str:
    """Bring an answer into the form in which answers are compared.

    Parameters
    ----------
    text : str or None
        None is a missing answer.
    how : {"robust", "squad", "tasr", "exact"}
        ``robust``: NFKC and casefolded; dashes and quotes folded; punctuation (Unicode's and ASCII's)
        dropped, but not the point and sign inside a number; a, an, the dropped unless nothing would be left.
        ``squad``: lower-case, ASCII punctuation deleted, articles dropped, spaces collapsed
        (``normalize_answer`` of the official SQuAD 1.1 and HotpotQA evaluations).
        ``tasr``: the same steps with the articles before the punctuation, as published with TASR
        (arXiv 2606.13814): "the-cat" is "cat" there and "thecat" under ``squad``.
        ``exact``: the text as it is.

    Returns
    -------
    str
        "" when the answer is missing or nothing is left; such an answer never equals another.

    Raises
    ------
    TrajectoryError
        When ``how`` is none of the four.
    """
    compared = NORMALISERS[normaliser(how)]
    return compared(text) if text else ""


def answer_codes(answers: pl.Series, how: Normaliser = "robust") -> NDArray[np.int32]:
    """Number the answers so that equal codes mean equal answers.

    Codes follow the sorted order of the normalised texts, so they do not depend on the order of the rows.
    Each distinct text is normalised once.

    Parameters
    ----------
    answers : (n,) series of str
        Null where missing.

    Returns
    -------
    (n,) int32
        -1 where the answer is missing or empty after normalising.
    """
    import polars as pl

    texts = answers.unique().drop_nulls()
    normal = [normalise(text, how) for text in texts]
    code = {text: position for position, text in enumerate(sorted(set(normal) - {""}))}
    codes = pl.Series([code.get(text, -1) for text in normal], dtype=pl.Int32)
    return answers.replace_strict(texts, codes, default=-1, return_dtype=pl.Int32).to_numpy()


def exact_match(prediction: str | None, gold: str | None, how: Normaliser = "squad") -> float:
    """1.0 when both normalise to the same text, else 0.0 (``exact_match_score`` of HotpotQA).

    Two texts of which nothing is left match: 1.0.
    """
    return float(normalise(prediction, how) == normalise(gold, how))


def f1(prediction: str | None, gold: str | None, how: Normaliser = "squad") -> float:
    """Harmonic mean of token precision and recall (``f1_score`` of HotpotQA), a fraction.

    Tokens are counted with their multiplicity. Where either side is yes, no or noanswer it is 1.0 when both
    are the same and 0.0 otherwise. With no token in common it is 0.0: two texts of which nothing is left
    score 0.0 here although they match exactly, as in the official program (SQuAD 2.0 gives 1.0).
    """
    predicted, wanted = normalise(prediction, how), normalise(gold, how)
    if predicted != wanted and (predicted in CLOSED or wanted in CLOSED):
        return 0.0
    predicted_tokens, wanted_tokens = predicted.split(), wanted.split()
    common = (Counter(predicted_tokens) & Counter(wanted_tokens)).total()
    if common == 0:
        return 0.0
    precision, recall = common / len(predicted_tokens), common / len(wanted_tokens)
    return 2 * precision * recall / (precision + recall)
