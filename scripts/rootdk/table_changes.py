"""Which tables are not what they were, and in what."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from rootdk.change_sorts import Sort, gravest
from rootdk.number_changes import NumberChange
from rootdk.snapshot import Snapshot, experiment_of

PUBLISHED = "published"
MEASURED = ("value", "mean", "std_error")
LINE = ["source", "experiment", "statistic", "scaling", "where"]


class TableChange(NamedTuple):
    """A table that changed, and how, in words; ``kind`` is changed, new or gone."""

    name: str
    sort: Sort
    kind: str
    what: str


def compare_tables(old: Snapshot, new: Snapshot, numbers: Iterable[NumberChange]) -> list[TableChange]:
    """Return every table whose file changed.

    Parameters
    ----------
    old, new : Snapshot
    numbers : iterable of NumberChange
        Between the two. A table's sort is that of its gravest number; the comparison with the sources has the sort of
        the experiments behind the lines that changed.
    """
    sorts: dict[str, list[Sort]] = {}
    for change in numbers:
        sorts.setdefault(change.table, []).append(change.sort)
    changes = []
    for name in sorted({*old.csv, *new.csv}):
        if name not in old.csv or name not in new.csv:
            kind = "new" if name in new.csv else "gone"
            table = (new if name in new.csv else old).tables.get(name)
            changes.append(TableChange(name, Sort.REAL, kind, "" if table is None else f"{len(table)} rows"))
        elif old.csv[name] != new.csv[name]:
            if name not in old.tables or name not in new.tables:
                changes.append(TableChange(name, Sort.REAL, "changed", "cannot be read as a table on both sides"))
            elif name == PUBLISHED:
                changes.append(_published(old.tables[name], new.tables[name], sorts))
            else:
                changes.append(_changed(name, old.tables[name], new.tables[name], sorts.get(name, [])))
    return changes


def experiment_sorts(numbers: Iterable[NumberChange]) -> dict[str, Sort]:
    """Return the gravest sort of each experiment that has numbers which changed."""
    found: dict[str, Sort] = {}
    for change in numbers:
        experiment = experiment_of(change.table)
        found[experiment] = gravest([change.sort, found.get(experiment, change.sort)])
    return found


def _changed(name: str, old: pd.DataFrame, new: pd.DataFrame, sorts: list[Sort]) -> TableChange:
    what = []
    added = [column for column in new.columns if column not in old.columns]
    removed = [column for column in old.columns if column not in new.columns]
    what += [f"column `{column}` is new" for column in added] + [f"column `{column}` is gone" for column in removed]
    if len(old) != len(new):
        what.append(f"{len(old)} → {len(new)} rows")
    told = Sort.STYLE
    for column in new.columns:
        if column in added or column in MEASURED or pd.api.types.is_float_dtype(new[column]):
            continue  # its numbers tell
        before, after = (table[column].astype(str).unique().tolist() for table in (old, new))
        if before != after or (len(old) == len(new) and (old[column].astype(str) != new[column].astype(str)).any()):
            if not (pd.api.types.is_string_dtype(new[column]) or pd.api.types.is_object_dtype(new[column])):
                told = Sort.REAL
            one_each = len(before) == len(after) == 1
            what.append(f"`{column}` {before[0]} → {after[0]}" if one_each else f"other values of `{column}`")
    if sorts:
        counted = ((sort, sorts.count(sort)) for sort in sorted(set(sorts), reverse=True))
        what.insert(0, "numbers: " + ", ".join(f"{count} {sort}" for sort, count in counted))
    return TableChange(name, gravest(sorts, told), "changed", "; ".join(what) or "the same values in another layout")


def _published(old: pd.DataFrame, new: pd.DataFrame, sorts: Mapping[str, list[Sort]]) -> TableChange:
    before, after = (
        {tuple(line[key] for key in LINE): line for line in table.to_dict("records")} for table in (old, new)
    )
    changed = [key for key in {**after, **before} if before.get(key) != after.get(key)]
    found = []
    verdicts: dict[str, int] = {}
    for key in changed:
        behind = [*sorts.get(key[1], []), *sorts.get(f"{key[1]}_summary", [])]
        told = any(
            before.get(key, {}).get(name) != after.get(key, {}).get(name) for name in ("printed", "ours", "verdict")
        )
        found.append(gravest(behind, Sort.REAL if told else Sort.STYLE))
        one, other = (str(side.get(key, {}).get("verdict", "no line")).split(":")[0] for side in (before, after))
        if one != other:
            verdicts[f"{one} → {other}"] = verdicts.get(f"{one} → {other}", 0) + 1
    what = [f"{len(changed)} of {len(new)} lines", *(f"{count}: {verdict}" for verdict, count in verdicts.items())]
    return TableChange(PUBLISHED, gravest(found), "changed", "; ".join(what))
