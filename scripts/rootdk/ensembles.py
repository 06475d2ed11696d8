"""One number of one draw among the same number of many draws."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from rootdk.attention import Floats
from rootdk.sampling_error import Estimate, estimate_mean
from rootdk.tables import Quantity

TAIL = (0.001, 0.0025, 0.005)
LEVELS = (
    0.0,
    *TAIL,
    *(percent / 100 for percent in sorted({*range(2, 100, 2), 5, 95})),
    *(round(1 - level, 4) for level in TAIL[::-1]),
    1.0,
)
"""Shares of the draws, from their smallest to their largest value, finer in the tails."""


class Law(NamedTuple):
    """What draws are compared in: a statistic of an experiment."""

    experiment: str
    statistic: str
    scaling: str
    d_k: int

    @property
    def where(self) -> str:
        """How a summary tells it from other laws of the same statistic and scaling."""
        return f"experiment={self.experiment};d_k={self.d_k}"


class Ensemble(NamedTuple):
    """A statistic of the draw that is shown, and of many others by the same law.

    Attributes
    ----------
    shown : float
    draws : ndarray, shape (draws,)
        Finite, independent.
    unit : str
    """

    shown: float
    draws: Floats
    unit: str


def quantile_table(ensembles: Mapping[Law, Ensemble]) -> pd.DataFrame:
    """Return the quantiles of each ensemble at :data:`LEVELS`.

    Returns
    -------
    pandas.DataFrame
        Columns experiment, statistic, scaling, d_k, level, quantile, unit.
    """
    rows = [
        (*law, level, float(quantile), ensemble.unit)
        for law, ensemble in ensembles.items()
        for level, quantile in zip(LEVELS, np.quantile(ensemble.draws, LEVELS), strict=True)
    ]
    return pd.DataFrame(rows, columns=[*Law._fields, "level", "quantile", "unit"])


def place_shown(law: Law, ensemble: Ensemble) -> list[Quantity]:
    """Return the value shown, the mean and the median of the draws, and the share of them at least as large.

    The share's standard error is that of a binomial law whose share is estimated with one draw more on either side, so
    that it is above 0 where no draw, or every draw, is as large.
    """
    share = float(np.mean(ensemble.draws >= ensemble.shown))
    draws = ensemble.draws.size
    guess = (share * draws + 1) / (draws + 2)
    error = math.sqrt(guess * (1 - guess) / (draws + 2))
    mean, mean_error = estimate_mean(ensemble.draws)
    values = {
        "shown": (ensemble.shown, ensemble.unit, math.nan),
        "mean": (mean, ensemble.unit, mean_error),
        "median": (float(np.median(ensemble.draws)), ensemble.unit, math.nan),
        "share_as_large": (share, "fraction of draws", error),
    }
    return [
        Quantity(f"{law.statistic}_{name}", value, unit, law.scaling, law.where, std_error)
        for name, (value, unit, std_error) in values.items()
    ]


def ratio_of_means(above: Floats, below: Floats) -> Estimate:
    """Return the ratio of two means over the same draws, and its standard error to first order.

    Parameters
    ----------
    above, below : ndarray, shape (draws,)
        The mean of ``below`` must not be 0.

    Notes
    -----
    With r the ratio, the error is that of the mean of above − r·below, divided by the mean of below.
    """
    mean = float(below.mean())
    ratio = float(above.mean()) / mean
    return Estimate(ratio, estimate_mean(above - ratio * below).std_error / abs(mean))
