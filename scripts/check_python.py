"""Says what to do if this Python is too old; runs on any Python 3."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  it is here for the older ones
    sys.exit(
        "rootdk needs Python 3.11 or later, and this is {}.{}. If another is installed: make PYTHON=python3.12".format(
            *sys.version_info[:2]
        )
    )
