"""Means over independent draws, and how far chance may have moved them."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Estimate(NamedTuple):
    """A mean with its standard error; NaN where one draw leaves no way to tell."""

    mean: float
    std_error: float


def estimate_mean(draws: ArrayLike) -> Estimate:
    """Return the mean over independent draws and its standard error.

    Parameters
    ----------
    draws : array_like, shape (draws,)
        One value per draw. Rows that share keys are not independent: average them within their draw first.

    Returns
    -------
    Estimate
        The standard error is the sample standard deviation (``ddof=1``) over sqrt(draws), NaN for a single draw.
    """
    values = np.asarray(draws, dtype=np.float64)
    error = float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else math.nan
    return Estimate(float(values.mean()), error)


def estimate_root_mean(squares: ArrayLike) -> Estimate:
    """Return the root of the mean over independent draws of squares, such as a root mean square score.

    Parameters
    ----------
    squares : array_like, shape (draws,)
        One mean square per draw; at least 0.

    Returns
    -------
    Estimate
        The standard error to first order, that of the mean square divided by twice the root.
    """
    return root_of(estimate_mean(squares))


def root_of(square: Estimate) -> Estimate:
    """Return the root of an estimate that is at least 0; its standard error is to first order, NaN at 0."""
    root = math.sqrt(square.mean)
    return Estimate(root, square.std_error / (2 * root) if root > 0 else math.nan)
