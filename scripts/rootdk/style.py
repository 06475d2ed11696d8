"""How figures look: SciencePlots with the project's own style file on top, and a fixed part for each curve."""

import importlib.util
import os
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rootdk.job_environment import isolate_matplotlib

if "matplotlib.font_manager" in sys.modules and "MPL_IGNORE_SYSTEM_FONTS" not in os.environ:
    raise ImportError("matplotlib was imported before rootdk.style, and may have chosen this machine's fonts.")
isolate_matplotlib()

import matplotlib  # noqa: E402  the fonts are chosen at import
import matplotlib.style  # noqa: E402

if TYPE_CHECKING:
    import scienceplots  # noqa: F401  read by path and not imported, but what draws depends on its version


class Curve(NamedTuple):
    """What sets a curve apart: a colour, and in a greyscale print its marker, dash and lightness."""

    label: str
    color: str
    marker: str
    linestyle: Any

    def line(self) -> dict[str, Any]:
        """Return keyword arguments for ``Axes.plot`` and ``Axes.errorbar``."""
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.linestyle,
            "markeredgecolor": "white",
            "markeredgewidth": 0.4,
        }


class Style(NamedTuple):
    """The parts that all figures share."""

    curves: MappingProxyType[str, Curve]
    ink: str
    muted: str
    faint: str
    accent: str
    weight_map: str
    sequence: tuple[str, ...]


STYLE = Style(
    curves=MappingProxyType(
        {
            "unscaled": Curve("without scaling", "#C5531A", "s", (0, (4, 1.6))),
            "scaled": Curve("with scaling", "#0A4A8A", "o", "-"),
        }
    ),
    ink="#222222",
    muted="#6B6B6B",
    faint="#D9D9D9",
    accent="#E39A1C",
    weight_map="Blues",
    sequence=("#0B2C4A", "#0C5DA5", "#4C9AD0", "#9CC9E6"),
)


def rc_parameters(name: str) -> dict[Any, Any]:
    """Return matplotlib's settings for one figure, whatever this machine or user has set.

    Parameters
    ----------
    name : str
        The figure's. It seeds the ids inside its SVG, so that two figures on one page share none.
    """
    styles = Path(_package_folder("scienceplots")) / "styles"
    # By path, since a user's own style folder may hold a science.mplstyle; in this order, since the first of the two
    # turns LaTeX on and the second off.
    files = [
        styles / "science.mplstyle",
        styles / "misc" / "no-latex.mplstyle",
        Path(__file__).with_name("rootdk.mplstyle"),
    ]
    parameters: dict[Any, Any] = dict(matplotlib.rcParamsDefault)
    for file in files:
        parameters.update(matplotlib.rc_params_from_file(file, use_default_template=False))
    parameters["svg.hashsalt"] = name
    parameters["backend"] = "agg"
    return parameters


def _package_folder(package: str) -> str:
    # Found, not imported: importing scienceplots imports pyplot and registers styles globally, which costs as much
    # time as drawing a figure does.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{package} is not installed; run make.")
    return spec.submodule_search_locations[0]
