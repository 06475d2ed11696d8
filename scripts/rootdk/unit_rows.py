"""Single rows of scores in time that does not depend on the head width."""

from collections.abc import Iterator

import numpy as np

from rootdk.attention import Floats
from rootdk.head_shape import check_shape

_SCORES_AT_ONCE = 65_536  # more than that and the arrays made of them leave the cache; fewer, and calls take longer


def draw_unit_rows(rng: np.random.Generator, *, tokens: int, d_k: int, draws: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield independent rows of unscaled scores, a batch at a time, in two factors.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``draws`` chi-square numbers, then by ``tokens`` normals for each row. How the rows are cut into
        batches changes nothing.
    tokens : int
        Positions n; at least 1.
    d_k : int
        Head width; at least 1.
    draws : int
        Rows; at least 1.

    Yields
    ------
    unit_scores : ndarray, shape (tokens, batch)
        Keys run along axis 0.
    query_norms : ndarray, shape (batch,)
        The scores are ``query_norms * unit_scores``.

    Raises
    ------
    ValueError
        If a parameter is below 1; the message names it.

    Notes
    -----
    Given its query q, the scores q·k_j of a row with standard normal keys are independent normals of variance |q|²,
    and |q|² for a standard normal q has the chi-square distribution with d_k degrees of freedom.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    query_norms = np.sqrt(rng.chisquare(d_k, draws))
    batch = max(1, _SCORES_AT_ONCE // tokens)
    for start in range(0, draws, batch):
        norms = query_norms[start : start + batch]
        yield rng.standard_normal((len(norms), tokens)).T.copy(), norms
