"""Writing files so that nobody ever finds half of one."""

import os
from collections.abc import Mapping
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or leave what was there before.

    Parameters
    ----------
    path : pathlib.Path
        Its folder is made if it is missing.
    content : bytes
        Written beside the file under another name first, then moved into place in one step.
    """
    write_all_whole({path: content})


def write_all_whole(contents: Mapping[Path, bytes]) -> None:
    """Write several files that belong together; none is replaced before all are written.

    Parameters
    ----------
    contents : mapping of pathlib.Path to bytes
    """
    parts: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            parts[part] = path
            part.write_bytes(content)
        for part, path in parts.items():
            part.replace(path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
