"""How far the worst of many estimates lies from the truth when nothing but chance has a say."""

import math

import numpy as np
from scipy.special import log_ndtr, ndtri


def largest_by_chance(comparisons: int) -> float:
    """Return how many standard errors the largest of independent normal deviations is expected to have.

    Parameters
    ----------
    comparisons : int
        How many deviations there are, each standard normal; at least 1. Their signs do not count.

    Notes
    -----
    The expectation of something positive is the integral of the chance to exceed t, here 1 − (1 − p)^N with
    p = 2Φ(−t). Deviations that depend on each other, as long as they are jointly normal, have a smaller largest one
    (Šidák, Journal of the American Statistical Association 62 (1967) 626).
    """
    step = 1 / 64
    t = step * np.arange(0.5, 40 / step)
    none_exceeds = np.exp(comparisons * np.log1p(-2 * np.exp(log_ndtr(-t))))
    return float(step * (1 - none_exceeds).sum())


def rarely_exceeded(comparisons: int, chance: float) -> float:
    """Return how many standard errors the largest of independent normal deviations exceeds with a given chance.

    Parameters
    ----------
    comparisons : int
        As for :func:`largest_by_chance`; so is what is said of dependence.
    chance : float
        Above 0, below 1.
    """
    each = -math.expm1(math.log1p(-chance) / comparisons)
    return float(-ndtri(each / 2))
