"""The samplers against exact expectations, at all lengths of rows and all widths of heads."""

import math

import numpy as np
import pytest

from rootdk.exact import DIVISOR_POWERS, expected
from rootdk.samplers import DENSE, HEAD, ROW, Sampler, measure

pytestmark = pytest.mark.filterwarnings("error")

EXACT_NAMES = {
    "max_weight": "max_weight",
    "squared_weights": "sum_of_squares",
    "entropy": "entropy",
    "normalized_entropy": "normalized_entropy",
    "jacobian_trace": "jacobian_trace",
    "mean_square_score": "mean_square_score",
}
DRAWS = {"row": 6000, "head": 600, "dense": 300}
OPEN = 30  # rows in which anything is undecided; a mean over fewer has no standard error to speak of
WIDEST_DENSE = 64


@pytest.mark.parametrize("d_k", [1, 2, 4, 64, 1024, 2**20, 2**30])
@pytest.mark.parametrize("tokens", [1, 2, 8, 16, 100])
@pytest.mark.parametrize("sampler", [ROW, HEAD, DENSE], ids=lambda sampler: sampler.name)
def test_means_lie_within_four_standard_errors_of_their_expectations(sampler: Sampler, tokens: int, d_k: int) -> None:
    if sampler is DENSE and d_k > WIDEST_DENSE:
        d_k = WIDEST_DENSE // 2  # the dense one takes time in proportion to d_k; below n at the longest rows
    rng = np.random.default_rng([tokens, d_k, len(sampler.name)])
    draws = DRAWS[sampler.name] if tokens < 100 else DRAWS[sampler.name] // 5
    measured = measure(sampler, rng, tokens=tokens, d_k=d_k, draws=draws, statistics=list(EXACT_NAMES))
    rows = draws if sampler is ROW else draws * tokens
    compared = 0
    for (scaling, statistic), values in measured.items():
        power = DIVISOR_POWERS[scaling]
        exact = expected(EXACT_NAMES[statistic], tokens=tokens, d_k=d_k, power=power)
        undecided = rows * expected("jacobian_trace", tokens=tokens, d_k=d_k, power=power)
        mean, error = values.mean(), values.std(ddof=1) / math.sqrt(draws)
        if tokens == 1 and statistic != "mean_square_score":
            assert mean == pytest.approx(exact, abs=1e-12)
        elif statistic == "mean_square_score" or undecided >= OPEN:
            compared += 1
            assert abs(mean - exact) < 4 * error, (scaling, statistic)
        else:
            # Nearly every row has made up its mind: the mean is about as small as it should be.
            missing = {"max_weight": 1.0, "squared_weights": 1.0}.get(statistic, 0.0)
            assert abs(mean - missing) <= 3 * OPEN / rows, (scaling, statistic)
    assert compared >= (1 if tokens == 1 else 6)
