"""How typical a single draw is: what the experiments that drew once would have found with other seeds."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rootdk.attention import Floats, scale_factor
from rootdk.command import run_simulation, simulate_with
from rootdk.ensembles import Ensemble, Law, place_shown, quantile_table, ratio_of_means
from rootdk.key_sets import draw_key_sets
from rootdk.samplers import HEAD, SCALINGS, default_divisors, measure, measure_rows
from rootdk.sampling_error import estimate_mean
from rootdk.self_attention import embed, relative_asymmetry
from rootdk.tables import Quantity, Tables, summary_table, sweep_value
from rootdk.weight_sums import ScoreRows, WeightSums
from rootdk.wide_heads import wide_head_norm
from simulate_attention_heatmaps import simulate_attention_heatmaps
from simulate_closed_row import simulate_closed_row
from simulate_logit_asymmetry import simulate_logit_asymmetry
from simulate_score_size import simulate_score_size

Parameters = Mapping[str, Any]
Ensembles = dict[Law, Ensemble]

OF_WEIGHTS: Mapping[str, tuple[Callable[[WeightSums], Floats], str]] = {
    "max_weight": (WeightSums.max_weight, "weight"),
    "jacobian_trace": (WeightSums.jacobian_trace, "weight per score"),
    "max_jacobian_diagonal": (WeightSums.max_jacobian_diagonal, "weight per score"),
}
RATIO = "scaled/unscaled"
TIMES_WIDER = 4  # to see what becomes of the ratio of norms
LARGEST_RATIO = 1e150  # whose square can still be written
PAIRS_AT_ONCE = 4096


def simulate_seed_luck(
    rng: np.random.Generator,
    *,
    heads: int,
    repetitions: int,
    attention_heatmaps: Parameters,
    closed_row: Parameters,
    score_size: Parameters,
    logit_asymmetry: Parameters,
) -> Tables:
    """Return how the results of four experiments are distributed over seeds, and where those that are shown stand.

    Parameters
    ----------
    rng : numpy.random.Generator
        Used for the four in turn, as they stand here. What is shown comes from the four experiments' own seeds.
    heads : int
        Heads like that of ``attention_heatmaps``; at least 2.
    repetitions : int
        Of each of the other three; at least 2.
    attention_heatmaps, closed_row, score_size, logit_asymmetry : mapping
        The parameters of the four experiments.

    Returns
    -------
    Tables
        Quantiles over seeds. Of ``attention_heatmaps``: ``score_std`` (about the head's own mean), the smallest and the
        largest ``max_weight`` among a head's rows, ``jacobian_norm`` (mean over its rows) and the ratio of it. Of
        ``closed_row``: the means over the queries at the narrowest and the widest head. Of ``score_size``: mean and
        root mean square at the widest head. Of ``logit_asymmetry``: the median over the pairs.

        The summary has the value shown of each, the mean, the median and the share of seeds that give at least as much.
        Of heads it also has the median norm of single rows; at their width and at four times it the ratio of the mean
        norms, the median of the heads' own ratios, and sqrt(d_k) times the mean norm without division, with what that
        tends to (:func:`rootdk.wide_heads.wide_head_norm`). Ratios are left out where norms are too small
        for one.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Each repetition draws anew all that depends on the seed: queries and keys of ``closed_row``, whose mean over a
    limited number of queries is part of what varies; the pairs of ``score_size``; the projections of
    ``logit_asymmetry``. The laws are those of the four experiments, but the time does not grow with the head width:
    heads and key sets are drawn as triangles (:mod:`rootdk.triangular_heads`, :mod:`rootdk.key_sets`), and a single
    score as the length of its query times a normal number.
    """
    norms, of_norms = _norms_and_weights(rng, heads, attention_heatmaps)
    ensembles = {
        **norms,
        **_closed_rows(rng, repetitions, closed_row),
        **_score_sizes(rng, repetitions, score_size),
        **_asymmetries(rng, repetitions, logit_asymmetry),
    }
    summary = [quantity for law, ensemble in ensembles.items() for quantity in place_shown(law, ensemble)]
    return Tables(quantile_table(ensembles), summary_table(summary + of_norms))


def _norms_and_weights(rng: np.random.Generator, heads: int, given: Parameters) -> tuple[Ensembles, list[Quantity]]:
    tokens, d_k = given["tokens"], given["head_width"]
    rows = measure_rows(HEAD, rng, tokens=tokens, d_k=d_k, draws=heads, statistics=["max_weight", "jacobian_norm"])
    # Of other heads, which makes no difference to a law that is looked at by itself.
    spreads = measure(
        HEAD, rng, tokens=tokens, d_k=d_k, draws=heads, statistics=["score_std"], divisors={"unscaled": 1.0}
    )
    wider = measure_rows(HEAD, rng, tokens=tokens, d_k=TIMES_WIDER * d_k, draws=heads, statistics=["jacobian_norm"])
    shown = _shown_head(given)

    def ensemble(statistic: str, scaling: str, draws: Floats, unit: str) -> Ensembles:
        law = Law("attention_heatmaps", statistic, scaling, d_k)
        return {law: Ensemble(shown[statistic, scaling], draws, unit)}

    ensembles = ensemble("score_std", "unscaled", spreads["unscaled", "score_std"], "score")
    summary = [Quantity("wide_head_norm", wide_head_norm(tokens), "weight per score", "unscaled", f"tokens={tokens}")]
    for scaling in SCALINGS:
        largest, norms = rows[scaling, "max_weight"], rows[scaling, "jacobian_norm"]
        ensembles |= ensemble("smallest_max_weight", scaling, largest.min(axis=-1), "weight")
        ensembles |= ensemble("largest_max_weight", scaling, largest.max(axis=-1), "weight")
        ensembles |= ensemble("jacobian_norm", scaling, norms.mean(axis=-1), "weight per score")
        summary.append(Quantity("row_norm_median", float(np.median(norms)), "weight per score", scaling, f"d_k={d_k}"))
    for width, measured in ((d_k, rows), (TIMES_WIDER * d_k, wider)):
        scaled, unscaled = (measured[scaling, "jacobian_norm"].mean(axis=-1) for scaling in ("scaled", "unscaled"))
        norm, norm_error = estimate_mean(unscaled)
        root = scale_factor(width)
        summary.append(
            Quantity("root_times_norm", root * norm, "weight per score", "unscaled", f"d_k={width}", root * norm_error)
        )
        if norm > 1 / LARGEST_RATIO:
            ratio, error = ratio_of_means(scaled, unscaled)
            summary.append(Quantity("ratio_of_mean_norms", ratio, "ratio", RATIO, f"d_k={width}", error))
        with np.errstate(all="ignore"):
            ratios = scaled / unscaled
        if (ratios < LARGEST_RATIO).all():
            summary.append(Quantity("median_norm_ratio", float(np.median(ratios)), "ratio", RATIO, f"d_k={width}"))
            if width == d_k and ("jacobian_norm_ratio", RATIO) in shown:
                ensembles |= ensemble("jacobian_norm_ratio", RATIO, ratios, "ratio")
    return ensembles, summary


def _shown_head(given: Parameters) -> dict[tuple[str, str], float]:
    summary = simulate_with(simulate_attention_heatmaps, given).summary
    values = {key: rows["value"] for key, rows in summary.groupby(["statistic", "scaling"])}
    shown = {("score_std", "unscaled"): float(values["score_std", "unscaled"].iloc[0])}
    for scaling in SCALINGS:
        shown["smallest_max_weight", scaling] = float(values["max_weight", scaling].min())
        shown["largest_max_weight", scaling] = float(values["max_weight", scaling].max())
        shown["jacobian_norm", scaling] = float(values["jacobian_norm_mean", scaling].iloc[0])
    if ("jacobian_norm_ratio", RATIO) in values:
        shown["jacobian_norm_ratio", RATIO] = float(values["jacobian_norm_ratio", RATIO].iloc[0])
    return shown


def _closed_rows(rng: np.random.Generator, repetitions: int, given: Parameters) -> Ensembles:
    shown = simulate_with(simulate_closed_row, given).table
    ensembles: Ensembles = {}
    for d_k in sorted({min(given["head_widths"]), max(given["head_widths"])}):
        means: dict[tuple[str, str], list[float]] = {
            (statistic, scaling): [] for scaling in SCALINGS for statistic in OF_WEIGHTS
        }
        for scores in draw_key_sets(rng, keys=given["keys"], queries=given["queries"], d_k=d_k, sets=repetitions):
            rows = ScoreRows(scores)
            with np.errstate(under="ignore"):  # weights of saturated rows are 0, as they should be
                for scaling, divisor in default_divisors(d_k).items():
                    sums = WeightSums(rows, divisor)
                    for statistic, (of_sums, _) in OF_WEIGHTS.items():
                        means[statistic, scaling].append(float(of_sums(sums).mean()))
        for (statistic, scaling), draws in means.items():
            value = sweep_value(shown, d_k=d_k, scaling=scaling, statistic=statistic)
            law = Law("closed_row", statistic, scaling, d_k)
            ensembles[law] = Ensemble(value, np.array(draws), OF_WEIGHTS[statistic][1])
    return ensembles


def _score_sizes(rng: np.random.Generator, repetitions: int, given: Parameters) -> Ensembles:
    shown = simulate_with(simulate_score_size, given).table
    d_k, pairs = max(given["head_widths"]), given["pairs"]
    means, sizes = np.empty(repetitions), np.empty(repetitions)
    for place in range(repetitions):
        scores = np.sqrt(rng.chisquare(d_k, pairs)) * rng.standard_normal(pairs)
        means[place] = scores.mean()
        sizes[place] = np.sqrt((scores * scores).mean())
    return {
        Law("score_size", statistic, "unscaled", d_k): Ensemble(
            sweep_value(shown, d_k=d_k, scaling="unscaled", statistic=statistic), draws, "score"
        )
        for statistic, draws in (("score_mean", means), ("typical_size", sizes))
    }


def _asymmetries(rng: np.random.Generator, repetitions: int, given: Parameters) -> Ensembles:
    summary = simulate_with(simulate_logit_asymmetry, given).summary.set_index("statistic")
    X = embed(given["token_vectors"], given["embedding_scale"])
    d_k, pairs = X.shape[1], given["pairs"]
    medians = np.empty(repetitions)
    for place in range(repetitions):
        values = np.empty(pairs)
        for start in range(0, pairs, PAIRS_AT_ONCE):
            some = slice(start, min(start + PAIRS_AT_ONCE, pairs))
            W_q, W_k = rng.standard_normal((2, some.stop - some.start, d_k, d_k))
            values[some] = relative_asymmetry(X, W_q, W_k)
        medians[place] = np.median(values)
    law = Law("logit_asymmetry", "relative_asymmetry_median", "scaled", d_k)
    return {law: Ensemble(float(summary["value"][law.statistic]), medians, "ratio")}


if __name__ == "__main__":
    run_simulation(simulate_seed_luck)
