"""The three numbers that every sampler takes."""


def check_shape(*, tokens: int, d_k: int, draws: int) -> None:
    """Refuse numbers that no head has.

    Raises
    ------
    ValueError
        If one is below 1; the message names it.
    """
    for name, value in (("tokens", tokens), ("d_k", d_k), ("draws", draws)):
        if value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1.")
