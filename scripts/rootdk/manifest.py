"""The list of all that a build made, with its checksum and digests of what it was made from."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rootdk.figure_metadata import combined_digest
from rootdk.whole_files import write_all_whole

MANIFEST = Path("figures/MANIFEST.json")
CHECKSUMS = Path("figures/SHA256SUMS")
DIGEST_PARTS = ("code", "columns", "config", "lock")


def write_manifest(records: Path, built: Iterable[str], lock: Path) -> None:
    """Write ``figures/MANIFEST.json``, and ``figures/SHA256SUMS``, which ``sha256sum -c`` checks from this folder.

    Parameters
    ----------
    records : pathlib.Path
        The folder with what each job left behind; see ``workflow/run_job.py``.
    built : iterable of str
        Paths of the files to list; those that are not there, or that no record speaks of, are left out.
    lock : pathlib.Path
        The lock that was built with.

    Notes
    -----
    Without dates and places, so that equal builds write equal lists.
    """
    entries = manifest_entries(_read(records), {path for path in built if Path(path).is_file()})
    lock_digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    content = {"lock": {lock.as_posix(): lock_digest}, "files": entries}
    sums = "".join(f"{entry['sha256']}  {path}\n" for path, entry in entries.items())
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_all_whole({MANIFEST: text.encode(), CHECKSUMS: sums.encode()})


def manifest_entries(records: Iterable[Mapping[str, Any]], listed: set[str]) -> dict[str, dict[str, str]]:
    """Return what the manifest says of each file, in the order of their paths.

    Parameters
    ----------
    records : iterable of mapping
        Each with the job's ``inputs`` and ``outputs``, as digests by path, and its ``recipe``, digests by name.
    listed : set of str
        The files that it is about.

    Returns
    -------
    dict of str to dict
        ``sha256`` of the file; digests of the ``code``, ``config`` part, ``lock`` part (the packages behind the code)
        and ``columns`` (how columns are rounded) that made it; and of the ``data`` (tables) and ``texts`` (everything
        else) that its job read, "" if none.
    """
    entries = {}
    for record in records:
        inputs = record["inputs"]
        data = {path: digest for path, digest in inputs.items() if path.startswith("data/")}
        texts = {path: digest for path, digest in inputs.items() if path not in data}
        made_from = {part: record["recipe"].get(part, "") for part in DIGEST_PARTS}
        made_from["data"] = combined_digest(data) if data else ""
        made_from["texts"] = combined_digest(texts) if texts else ""
        for path, digest in record["outputs"].items():
            if path in listed:
                entries[path] = {"sha256": digest, **made_from}
    return dict(sorted(entries.items()))


def _read(records: Path) -> Iterable[dict[str, Any]]:
    for path in sorted(records.glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # the job's own files are made again by the next build
        if isinstance(record, dict) and all(
            isinstance(record.get(part), dict) for part in ("inputs", "outputs", "recipe")
        ):
            yield record
