"""Random streams by seed and name: a new use of chance never moves the draws of another."""

from __future__ import annotations

import hashlib

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats


def stream(seed: int, name: str) -> np.random.Generator:
    """A generator of its own for one use, the same wherever and whenever it is asked for.

    Parameters
    ----------
    seed : int
        At least 0; the study's.
    name : str
        What the draws are for, as in "sign flips".

    Raises
    ------
    StudyError
        When the seed is no whole number of at least 0.
    """
    whole_number("seed", seed, least=0)
    # the builtin hash of a text changes from process to process
    words = np.frombuffer(hashlib.blake2b(name.encode(), digest_size=16).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))


def random_signs(rng: np.random.Generator, draws: int, count: int) -> Floats:
    """(draws, count) of -1 and 1, each as likely."""
    return rng.integers(0, 2, (draws, count)).astype(np.float64) * 2.0 - 1.0


def whole_number(name: str, number: int, *, least: int) -> None:
    """Refuse a count or a seed that is none.

    Raises
    ------
    StudyError
    """
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise StudyError(f"{name} must be a whole number of at least {least}, not {number!r}")
