"""The files of a page of findings: `<system>.md` is rewritten each time, `<system>.yaml` next to it has the manual checks."""

import os
import re
from pathlib import Path

from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.results.compliance_document import Compliance, read

from . import findings_page
from .findings_page import MARK, FindingsContent
from .manual_checks import Checked
from .page_content import known, sections
from .reproduction import shortest


def write(results: Path, out: Path) -> int:
    """Make the page of the run in a results folder. Raises WrongUsage; returns 0."""
    run = _finished(results)
    rows = register.bundled()
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", run.system.name).strip(".-") or "system"
    file = _may_be_written(out, f"{name}.md")
    checked = out / f"{name}.yaml"
    found = sections(run, rows)
    folder = results if results.is_dir() else results.parent
    reproductions = [shortest(section.findings, folder) for section in found]
    made = FindingsContent(run, found, known(run), reproductions, Checked.read(checked, rows), checked.name, rows)
    try:
        out.mkdir(exist_ok=True)
        file.write_text(str(made), encoding="utf-8")
    except OSError as error:
        raise WrongUsage(f"--out {out}: {file} cannot be written: {error.strerror}; name another folder") from error
    for line in findings_page.lines(made):
        print(line)
    print(f"findings: {os.path.relpath(file)}")
    return 0


def _finished(results: Path) -> Compliance:
    run = read(results)
    if not run.complete:
        raise WrongUsage(f"{results}: this run did not finish, so its causes are not known; expected a run that came to its end")
    return run


def _may_be_written(out: Path, name: str) -> Path:
    """The page's file. Raises WrongUsage if the folder is not one, or the file was not made by this command."""
    reported = f"--out {out}"
    if out.exists() and not out.is_dir():
        raise WrongUsage(f"{reported}: this is a file; expected a folder, such as docs/findings")
    if not out.parent.is_dir():
        raise WrongUsage(f"{reported}: there is no folder {out.parent}; name a folder in one that is there")
    file = out / name
    if file.exists() and not file.read_bytes().startswith(MARK.encode()):
        raise WrongUsage(f"{reported}: {file} is not a page that fencepost made; move it away, or name another folder")
    return file
