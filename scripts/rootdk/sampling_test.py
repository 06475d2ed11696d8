"""How far a mean over random draws lies from its expectation, in standard errors."""

import math
from collections.abc import Mapping

from rootdk.exact import DIVISOR_POWERS, STATISTICS, expected
from rootdk.numbers import Number, number_name

ROOT_MEAN_SQUARES = ("score_rms", "typical_size")
MEAN_SCORES = ("score_mean",)
EXPECTED = "expected_"  # in front of a statistic: its expectation as an experiment itself found it, with an error


def expectation_of(
    experiment: str, statistic: str, scaling: str, where: str, *, tokens: int, numbers: Mapping[str, Number]
) -> Number | None:
    """Return what a mean over random heads is expected to be.

    Parameters
    ----------
    experiment, statistic, scaling, where : str
        The parts of the mean's name.
    tokens : int
        Keys in a row.
    numbers : mapping of str to Number
        All quotable numbers. Where the experiment has one called ``expected_<statistic>``, such as a mean over many
        more heads for a statistic without a closed form, that is returned.

    Returns
    -------
    Number or None
        With a standard error of 0 where it is exact; None where no expectation is known.
    """
    own = number_name(experiment, f"{EXPECTED}{statistic}", scaling, where)
    if own in numbers:
        return numbers[own]
    key, _, width = where.partition("=")
    if key != "d_k" or not width.isdigit() or scaling not in DIVISOR_POWERS:
        return None

    def exact(name: str) -> float:
        return expected(name, tokens=tokens, d_k=int(width), power=DIVISOR_POWERS[scaling])

    if statistic in STATISTICS:
        return Number(own, exact(statistic), 0.0)
    if statistic in ROOT_MEAN_SQUARES:
        return Number(own, math.sqrt(exact("mean_square_score")), 0.0)
    if statistic in MEAN_SCORES:
        return Number(own, 0.0, 0.0)
    return None


def z_score(mean: Number, expectation: Number) -> float:
    """Return how many standard errors a mean lies above its expectation; NaN where its own error is unknown or 0."""
    if not mean.std_error > 0:
        return math.nan
    return (mean.value - expectation.value) / math.hypot(mean.std_error, expectation.std_error)
