"""Checks config.yaml, and any files given that override it, without building anything."""

import sys
from pathlib import Path

from rootdk.config import load_config
from rootdk.yaml_source import ConfigError

if __name__ == "__main__":
    scripts = Path(__file__).parent
    try:
        load_config(
            Path("config.yaml"),
            scripts=scripts,
            schema=scripts.parent / "workflow" / "schemas" / "config.schema.yaml",
            files=[Path(argument) for argument in sys.argv[1:] if argument != "--"],
        )
    except ConfigError as error:
        sys.exit(str(error))
