"""Heads with standard normal queries and keys, drawn entry by entry as the sources do, and what is measured on them."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from rootdk.attention import Floats, scale_factor, softmax, unscaled_scores

HeadStatistic = Callable[[Floats, Floats], Floats]
"""Takes scores and weights, both (heads, tokens, tokens), and returns one value per head, or one per row of each."""

SCALINGS = ("unscaled", "scaled")

_ENTRIES_AT_ONCE = 500_000


def draw_scores(rng: np.random.Generator, *, tokens: int, d_k: int, draws: int) -> Iterator[Floats]:
    """Yield the unscaled scores of independent heads, a batch at a time.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * d_k * draws`` normals: for each head Q is filled, then K, in C order. How the heads
        are cut into batches changes nothing.
    tokens : int
        Positions n; at least 1.
    d_k : int
        Head width; at least 1.
    draws : int
        Heads; at least 1.

    Yields
    ------
    ndarray, shape (batch, tokens, tokens)

    Raises
    ------
    ValueError
        If a parameter is below 1; the message names it.
    """
    for name, value in (("tokens", tokens), ("d_k", d_k), ("draws", draws)):
        if value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1.")
    batch = max(1, _ENTRIES_AT_ONCE // (2 * tokens * d_k))
    for start in range(0, draws, batch):
        heads = rng.standard_normal((min(batch, draws - start), 2, tokens, d_k))
        yield unscaled_scores(heads[:, 0], heads[:, 1])


def measure_heads(
    rng: np.random.Generator, *, tokens: int, d_k: int, draws: int, statistics: Mapping[str, HeadStatistic]
) -> dict[tuple[str, str], Floats]:
    """Return each statistic of each head, without and with the division by sqrt(d_k).

    Parameters
    ----------
    rng, tokens, d_k, draws
        As for :func:`draw_scores`.
    statistics : mapping of str to callable
        What to measure, by name.

    Returns
    -------
    dict
        ``(scaling, statistic)`` to an array of shape (draws,), or (draws, tokens) for what is measured by row; scaling
        is ``"unscaled"`` or ``"scaled"``.
    """
    divisors = {"unscaled": 1.0, "scaled": scale_factor(d_k)}
    batches: dict[tuple[str, str], list[Floats]] = {(s, name): [] for s in SCALINGS for name in statistics}
    for scores in draw_scores(rng, tokens=tokens, d_k=d_k, draws=draws):
        for scaling in SCALINGS:
            divided = scores / divisors[scaling]
            weights = softmax(divided)
            for name, statistic in statistics.items():
                batches[scaling, name].append(statistic(divided, weights))
    return {key: np.concatenate(parts) for key, parts in batches.items()}
