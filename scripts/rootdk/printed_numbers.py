"""Numbers as other programs' texts spell them: in LaTeX, for siunitx, in Markdown."""

from rootdk.numbers import Number, with_error

MINUS, TIMES = "−", "·10^"


def pair(number: Number) -> str:
    """Return value ± standard error, or nothing where there is no error above 0."""
    return " ± ".join(with_error(number)) if number.std_error > 0 else ""


def compact(number: Number) -> str:
    """Return the value with the error of its last digits in parentheses, such as ``0.879(4)``.

    Without an error above 0 it is the value alone.
    """
    if not number.std_error > 0:
        return str(number)
    value, error = with_error(number)
    return f"{value}({int(error.replace('.', ''))})"


def for_siunitx(text: str) -> str:
    r"""Return a printed number as the argument of ``\num``."""
    return text.replace(MINUS, "-").replace(TIMES, "e")


def for_latex(text: str) -> str:
    """Return a printed number in the macros of ``workflow/numbers/macros.tex``, where plain digits would not do."""
    mantissa, _, exponent = text.replace(MINUS, "-").partition(TIMES)
    if exponent:
        return rf"\rootdk@power{{{mantissa}}}{{{exponent}}}"
    return rf"\rootdk@minus{{{mantissa[1:]}}}" if mantissa.startswith("-") else mantissa


def for_markdown(text: str) -> str:
    """Return a printed number for Markdown, as mathematics where plain digits would not do."""
    mantissa, _, exponent = text.replace(MINUS, "-").partition(TIMES)
    if exponent:
        return rf"${mantissa} \cdot 10^{{{exponent}}}$"
    return f"${mantissa}$" if mantissa.startswith("-") else mantissa
