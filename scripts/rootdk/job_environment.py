"""The environment that jobs inherit, so that a machine's settings do not reach their results."""

import os
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def isolate_jobs() -> None:
    """Clear this process's environment of what could change a job's numbers or imports; its jobs inherit that."""
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONOPTIMIZE"):
        os.environ.pop(name, None)
    os.environ["PYTHONNOUSERSITE"] = "1"
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ["PYTHONIOENCODING"] = "utf-8"
    isolate_matplotlib()


def isolate_matplotlib() -> None:
    """Hide the machine's fonts and a user's settings from matplotlib, which reads both when it is imported."""
    for name in ("MPLBACKEND", "MATPLOTLIBRC"):
        os.environ.pop(name, None)
    os.environ["MPL_IGNORE_SYSTEM_FONTS"] = "1"
    os.environ["MPLCONFIGDIR"] = str(_writable_folder())


def _writable_folder() -> Path:
    folder = PROJECT / ".cache" / "matplotlib"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / "rootdk-matplotlib"
    return folder
