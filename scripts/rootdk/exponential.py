"""The exponential function with the same last digit on every machine."""

import functools
from decimal import Context, Decimal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

STEPS = 128  # steps of the table in an octave; a power of two
LOWEST, HIGHEST = -746.0, 710.0  # past these, exp is 0 and infinite
AT_ONCE = 8192  # numbers that stay in the processor's cache
_DIGITS = Context(prec=60)
_SHIFT = STEPS.bit_length() - 1
_TWOS = np.ldexp(1.0, np.concatenate([np.arange(600), np.arange(-600, 0)]))  # index k, also a negative one, holds 2^k


def exp(x: ArrayLike) -> Floats:
    """Return e to the power x.

    Parameters
    ----------
    x : array_like
        Numbers, ``-inf`` and ``inf`` included, and no NaN.

    Returns
    -------
    ndarray
        Of the shape of ``x``, within 0.51 units in the last place.

    Notes
    -----
    ``numpy.exp`` and ``math.exp`` have a kernel for each kind of processor, and the kernels differ in the last digit.
    This one adds and multiplies only, which IEEE 754 prescribes to the bit: x = n ln 2 / 128 + r with a whole number
    n, and e^x = 2^(n // 128) · 2^((n % 128) / 128) · e^r with the second factor from a table and e^r from its series.
    What the table's numbers and ln 2 / 128 have beyond 53 bits is carried along in numbers of their own.
    """
    argument = np.clip(np.asarray(x, dtype=np.float64), LOWEST, HIGHEST)
    flat = argument.ravel()
    result = np.empty_like(flat)
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(flat), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            result[part] = _exp(flat[part])
    return result.reshape(argument.shape)


def _exp(x: Floats) -> Floats:
    powers, powers_beyond, step = _table()
    n = np.rint(x * (1.0 / step[0]))
    whole = n.astype(np.int64)
    # The first two parts of the step are short enough for their products with n to be exact.
    near, far = x - n * step[0], n * step[1]
    r = near - far
    beyond = (near - r) - far - n * step[2]
    series = r * r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720)))))
    less_one = r + (series + (beyond + beyond * r))
    place, octave = whole & (STEPS - 1), whole >> _SHIFT
    first = powers[place]
    # In two halves, since 2^octave alone can be too large or too small for a number.
    half = octave >> 1
    return (first + (first * less_one + powers_beyond[place])) * _TWOS[half] * _TWOS[octave - half]


@functools.cache
def _table() -> tuple[Floats, Floats, tuple[float, float, float]]:
    """Return 2^(j/128) in two parts for each j, and ln 2 / 128 in three."""
    exact = [_DIGITS.power(Decimal(2), _DIGITS.divide(Decimal(j), Decimal(STEPS))) for j in range(STEPS)]
    powers = np.array([float(power) for power in exact])
    beyond = np.array([float(_DIGITS.subtract(power, Decimal(float(power)))) for power in exact])
    step = _DIGITS.divide(_DIGITS.ln(Decimal(2)), Decimal(STEPS))
    parts = []
    for bits in (42, 76):
        part = float(int(_DIGITS.multiply(step, Decimal(2**bits)))) / 2**bits
        parts.append(part)
        step = _DIGITS.subtract(step, Decimal(part))
    return powers, beyond, (parts[0], parts[1], float(step))
