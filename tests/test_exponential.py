from decimal import Decimal, localcontext

import numpy as np
import pytest

from rootdk.exponential import AT_ONCE, exp


def correctly_rounded(x):
    with localcontext(prec=60):
        return [Decimal(float(value)).exp() for value in x]


@pytest.fixture(scope="module")
def arguments():
    rng = np.random.default_rng(1)
    tiny = -(10.0 ** rng.uniform(-20, 1, 500))
    steps = np.log(2) / 128 * (np.arange(-300, 300) + 0.5)  # where one place in the table gives way to the next
    return np.concatenate([rng.uniform(-708, 709, 2000), rng.uniform(-40, 0, 2000), tiny, steps])


def test_it_is_the_nearest_number_or_as_good_as_that(arguments):
    exact = correctly_rounded(arguments)
    found = exp(arguments)
    spacing = np.spacing(found)
    errors = [
        abs(float((Decimal(float(value)) - truth) / Decimal(float(step))))
        for value, truth, step in zip(found, exact, spacing, strict=True)
    ]
    assert max(errors) < 0.51
    assert np.mean(found != [float(truth) for truth in exact]) < 0.005


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, 1.0),
        (-0.0, 1.0),
        (-np.inf, 0.0),
        (np.inf, np.inf),
        (-1.7e308, 0.0),
        (-745.2, 0.0),
        (-745.1, 5e-324),
        (-708.5, float(Decimal("-708.5").exp())),
        (709.5, float(Decimal("709.5").exp())),
        (710.0, np.inf),
        (5e-324, 1.0),
        (-1e-17, 1.0),
    ],
)
def test_at_the_ends(x, expected):
    assert exp(x) == pytest.approx(expected, rel=1e-15, abs=0)


def test_it_keeps_the_shape_however_many_there_are():
    x = np.linspace(-5, 0, 3 * (AT_ONCE + 1)).reshape(3, 1, -1)
    assert exp(x).shape == x.shape
    assert exp(x)[2, 0, -2] == exp(x[2, 0, -2])
    assert exp(np.zeros((2, 0))).shape == (2, 0)
    assert exp(0.0).shape == ()


def test_it_never_falls():
    x = np.sort(np.concatenate([np.linspace(-3, 0, 20001), np.nextafter(np.linspace(-3, 0, 20001), 1)]))
    assert (np.diff(exp(x)) >= 0).all()
