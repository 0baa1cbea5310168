"""A test that is wrong, so that simulations can show that they would see it."""

import math

import numpy as np
from scipy import stats


def raw_signed(losses: np.ndarray, max_loss: float) -> np.ndarray:
    """The mistake of case 13: the formulas for [0, 1] on signed differences, as if nothing were below 0."""
    n = losses.shape[-1]
    risk = np.maximum(losses.mean(axis=-1), 0)
    low = np.minimum(risk, max_loss)
    divergence = (1 - low) * np.log((1 - low) / (1 - max_loss))
    divergence += low * np.log(np.where(low > 0, low, 1) / max_loss)
    bentkus = math.e * stats.binom.cdf(np.ceil(n * risk - 1e-9), n, max_loss)
    return np.minimum(1, np.minimum(np.exp(-n * divergence), bentkus))
