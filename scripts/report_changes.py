"""What moved since a git revision: numbers, tables, figures and sentences, in changes.md."""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from build_published import compare_with_sources
from build_report import fill_chapter
from rootdk.changes_page import Changes, picture_name, verdict, write_page
from rootdk.config import with_experiments_taken
from rootdk.config_changes import compare_configs
from rootdk.digits import DigitsError, choose_digits
from rootdk.figure_changes import compare_figures, picture_files
from rootdk.number_changes import compare_numbers
from rootdk.numbers import Number
from rootdk.revision import Revision, RevisionError, read_revision
from rootdk.sentence_changes import compare_sentences, sentences
from rootdk.snapshot import Snapshot, is_part, read_folder, take_snapshot
from rootdk.table_changes import compare_tables
from rootdk.tables import read_table
from rootdk.whole_files import write_all_whole
from rootdk.words import WordsError
from rootdk.yaml_source import ConfigError, merge, read_own_yaml, read_yaml

PAGE = "changes.md"
PICTURES = "changes"
CANNOT_TELL = 2


def find_changes(project: Path, revision: Revision, new: Snapshot) -> Changes:
    """Return all that moved since a revision.

    Parameters
    ----------
    project : pathlib.Path
        Whose templates the chapter is filled from.
    revision : Revision
    new : Snapshot
        The present state.

    Raises
    ------
    RevisionError
        If the revision holds no tables or no chapter.
    """
    old = take_snapshot(revision.files)
    base = (
        f"`{revision.name}`"
        if revision.commit.startswith(revision.name)
        else f"`{revision.name}` ({revision.commit[:7]})"
    )
    if not old.csv or not old.report:
        raise RevisionError(
            f"The revision {revision.name} holds no tables in data/ or no report.md, so there is nothing to compare "
            "with; choose one that `git log -- data report.md` shows."
        )
    numbers = compare_numbers(old.numbers, new.numbers)
    tables = compare_tables(old, new, numbers)
    figures = compare_figures(old, new, tables)

    def chapter(known: Mapping[str, Number], setup: Mapping[str, Any]) -> str:
        return fill_present_chapter(
            project, known, setup, [f"figures/{name}.svg" for name in new.figures], new.config.get("numbers", {})
        )

    return Changes(
        base=f"{base}, “{revision.subject}”",
        config=compare_configs(old.config, new.config),
        numbers=numbers,
        tables=tables,
        figures=figures,
        pictures={change.name: pictures for change, pictures in picture_files(figures)},
        sentences=compare_sentences(old, new, numbers, chapter),
        totals={
            "numbers": len(new.all_numbers()),
            "tables": len(new.csv),
            "figures": len(new.figures),
            "sentences": len(sentences(new.report)),
        },
        unreadable=old.unreadable,
    )


def fill_present_chapter(
    project: Path, known: Mapping[str, Number], setup: Mapping[str, Any], figures: list[str], digits: Mapping[str, Any]
) -> str:
    """Return the chapter as its present templates tell it of other numbers, with the digits that they now get.

    Raises
    ------
    ValueError
        If a template asks for a number or parameter that is not among them.
    """
    workflow = project / "workflow"
    setup = with_experiments_taken(setup, project / "scripts")
    try:
        return fill_chapter(
            workflow / "chapter",
            numbers=choose_digits(known, digits),
            setup=setup,
            published=compare_with_sources(
                read_table(workflow / "published" / "published.csv"),
                known,
                setup,
                read_own_yaml(workflow / "published" / "setup.yaml"),
            ),
            sources=read_own_yaml(workflow / "published" / "sources.yaml"),
            figures=figures,
        )
    except (WordsError, DigitsError, LookupError, OSError) as error:
        raise ValueError(str(error)) from None


def present_snapshot(project: Path, config_files: list[Path]) -> Snapshot:
    """Return what the project says now.

    Raises
    ------
    RevisionError
        If something is not built or cannot be read.
    ConfigError
        If the config cannot be read.
    """
    snapshot = take_snapshot(read_folder(project))
    missing = [name for name, found in (("data/", snapshot.csv), ("figures/", snapshot.figures)) if not found]
    missing += [] if snapshot.report else ["report.md"]
    if missing:
        raise RevisionError(f"There is no {' and no '.join(missing)} yet; run `make` first.")
    broken = [name for name in snapshot.unreadable if name.startswith("data/")]
    if broken:
        raise RevisionError(f"{', '.join(broken)} cannot be read; run `make` to build it again.")
    config: dict[str, Any] = {}
    for path in [project / "config.yaml", *config_files]:
        config = merge(config, read_yaml(path, "the keys experiments, figures and editions").values)
    return snapshot._replace(config=config)


def check_built(project: Path, config_files: list[Path]) -> None:
    """Raise RevisionError unless everything is built from what the config, the code and the chapter now say."""
    command = [sys.executable, "-m", "snakemake", "--dry-run"]
    command += ["--configfile", *map(str, config_files)] if config_files else []
    planned = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if planned.returncode:
        reason = (planned.stderr.strip().splitlines() or ["it does not say why"])[-1]
        raise RevisionError(f"What has to be built cannot be told, so run `make` first: {reason}")
    if "Nothing to be done" not in planned.stdout + planned.stderr:
        raise RevisionError("The build is older than the config, code or chapter; run `make` first, or `make changes`.")


def write_changes(project: Path, changes: Changes) -> None:
    """Write the page and its pictures, and remove those of an earlier one."""
    folder = project / PICTURES
    contents = {project / PAGE: write_page(changes, PICTURES).encode()}
    for name, pictures in changes.pictures.items():
        if pictures is not None:
            for state in ("old", "new", "difference"):
                contents[folder / picture_name(name, state)] = getattr(pictures, state)
    write_all_whole(contents)
    for state in ("old", "new", "difference"):
        for path in set(folder.glob(f"*_{state}.png")) - set(contents):
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def main(arguments: list[str] | None = None) -> int:
    """Write changes.md as the command line says, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "revision", nargs="?", default="HEAD", help="a commit, branch or tag; by default the last commit"
    )
    parser.add_argument("--configfile", type=Path, action="append", default=[], help="what the build was made with")
    parser.add_argument("--built", action="store_true", help="do not ask Snakemake whether everything is built")
    given = parser.parse_args(arguments)
    project = Path()
    try:
        revision = read_revision(project, given.revision or "HEAD", is_part)
        new = present_snapshot(project, given.configfile)
        if not given.built:
            check_built(project, given.configfile)
        changes = find_changes(project, revision, new)
        write_changes(project, changes)
    except (RevisionError, ConfigError) as error:
        print(error, file=sys.stderr)
        return CANNOT_TELL
    except OSError as error:
        print(f"{error.filename or PAGE} cannot be written or read: {error.strerror}.", file=sys.stderr)
        return CANNOT_TELL
    print(verdict(changes).replace("*", "").replace("`", ""))
    print(f"All of it is in {PAGE}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
