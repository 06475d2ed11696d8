"""The programs that a build, or what one does with it, may ask for."""

import shutil
from pathlib import Path

from rootdk.machine_finding import NOTE, OK, WARNING, Finding, ask, counted

GENERATED = ("report.md", "data", "figures")
ENGINES = ("pdflatex", "lualatex", "xelatex")


def check_make(path: "str | None" = None) -> Finding:
    """Tell whether there is make."""
    if shutil.which("make", path=path):
        return Finding(OK, "make", "there")
    return Finding(WARNING, "make", "not there; the README has the commands to type instead, or `apt install make`")


def check_git(project: Path, path: "str | None" = None) -> "list[Finding]":
    """Tell whether there is git, whether this is its repository, and whether what is built is as committed."""
    git = shutil.which("git", path=path)
    if git is None:
        return [Finding(WARNING, "git", "not there; a build does without, `make changes` does not: `apt install git`")]
    code, told = ask([git, "rev-parse", "--show-toplevel"], project)
    if code != 0:
        if "dubious ownership" in told:
            do = "it belongs to another user: `git config --global --add safe.directory` and this folder"
            return [Finding(WARNING, "git", f"does not want to look into this folder; {do}")]
        return [Finding(NOTE, "git", "there, but this folder is no repository; `make changes` needs one")]
    if Path(told).resolve() != project.resolve():
        return [Finding(NOTE, "git", f"this folder lies in the repository {told}; `make changes` needs its own")]
    findings = [Finding(OK, "git", "there, and this folder is a repository")]
    code, told = ask([git, "-c", "core.quotepath=off", "status", "--porcelain", "--", *GENERATED], project)
    if code != 0:
        findings.append(Finding(WARNING, "work tree", f"git cannot tell: {(told.splitlines() or [''])[-1]}"))
    elif told:
        changed = [line.strip().split(None, 1)[-1] for line in told.splitlines()]
        do = f"look with `git diff --stat`, then commit, or `git checkout -- {' '.join(GENERATED)}`"
        findings.append(Finding(WARNING, "work tree", f"built and not as committed: {counted(changed)}; {do}"))
    else:
        findings.append(Finding(OK, "work tree", "what is built and committed is as it was committed"))
    return findings


def check_tex(path: "str | None" = None) -> Finding:
    """Tell which engines of TeX there are, and whether siunitx is."""
    why = "only LaTeX that quotes this chapter's numbers needs it"
    engines = [name for name in ENGINES if shutil.which(name, path=path)]
    if not engines:
        return Finding(NOTE, "TeX", f"not there; {why}")
    finder = shutil.which("kpsewhich", path=path)
    if finder and ask([finder, "siunitx.sty"])[0] == 0:
        return Finding(OK, "TeX", f"{', '.join(engines)}, with siunitx")
    do = "`apt install texlive-science` or `tlmgr install siunitx`"
    return Finding(NOTE, "TeX", f"{', '.join(engines)}, without siunitx; {why}: {do}")


def check_optional(name: str, path: "str | None" = None) -> Finding:
    """Tell whether there is a program that a build does without."""
    if shutil.which(name, path=path):
        return Finding(OK, name, "there")
    return Finding(NOTE, name, "not there; a build does without")
