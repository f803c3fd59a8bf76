"""The user's own known deviations: `run --expectations FILE`, in the format of the bundled ones; versions and a link are not needed.

`--expectations` is given as often as needed, with a file or one of two words. Files add to the bundled entries. `none` leaves these out,
so that `--expectations none` excuses nothing, and `--expectations none --expectations FILE` only what FILE has. `bundled` states the
default.

An error in such a file is for the user to fix: wrong usage, with file, line, value and remedy.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.datafile import DataFileError, lines_of
from fencepost.contract.errors import WrongUsage
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict

from .known_deviations import ANY, Asking, DeviationEntry, Expectations, LocatedDeviation, checked, holding

BUNDLED, NONE = "bundled", "none"


@dataclass(frozen=True)
class OwnExpectations:
    """The user's entries about the system; `with_bundled` is whether the bundled entries count too."""

    with_bundled: bool = True
    known: tuple[LocatedDeviation, ...] = ()

    def added_to(self, bundled: Expectations, version: str, exact: bool) -> Expectations:
        """These entries, with the bundled ones that hold for the system, for a system of that version."""
        return Expectations((*holding(self.known, version, exact), *(bundled.known if self.with_bundled else ())))


def read(said: Sequence[str], register: Register) -> OwnExpectations:
    """Read the values of `--expectations`. Raises WrongUsage."""
    words = [word for word in said if word in (BUNDLED, NONE)]
    if BUNDLED in words and NONE in words:
        raise WrongUsage(f"--expectations {BUNDLED} and --expectations {NONE} exclude each other: use one of them")
    files = [name for name in said if name not in words]
    if twice := next((name for name in files if files.count(name) > 1), None):
        raise WrongUsage(f"--expectations {twice} is given twice: give it once")
    known = [one for name in files for one in read_file(name, register)]
    _refuse_repeated(known)
    return OwnExpectations(NONE not in words, tuple(known))


def read_file(name: str, register: Register) -> Iterator[LocatedDeviation]:
    """The entries of a user's file. Raises WrongUsage."""
    path = Path(name)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise WrongUsage(f"--expectations {name}: {what}; expected a YAML file of known deviations, or {BUNDLED} or {NONE}")
    try:
        entries = checked(path, DeviationEntry, register)
    except DataFileError as error:
        raise WrongUsage(str(error)) from error
    for entry, line in zip(entries, lines_of(path), strict=True):
        yield LocatedDeviation(entry, name, line, is_own=True)


def _refuse_repeated(known: Iterable[LocatedDeviation]) -> None:
    first: dict[str, LocatedDeviation] = {}
    for one in known:
        reported = one.entry.reported
        if reported in first:
            raise WrongUsage(f"{one.where}: {one.entry.place}: this entry appears twice, first in {first[reported].where}; remove one")
        first[reported] = one


def unmatched(own: OwnExpectations, scenarios: Sequence[ScenarioResult], selected: Iterable[str], version: str) -> Iterator[str]:
    """The user's entries that were compared with no scenario of a run, each with its place and why. They excuse nothing, and do no harm."""
    chosen = {*selected, ANY}
    for one in own.known:
        about = [scenario for scenario in scenarios if one.is_about(asked_by(scenario))]
        if not one.holds_for(version):
            why = f"its versions {one.entry.versions} do not hold {version}"
        elif one.entry.requirement not in chosen:
            why = "not selected"
        elif not about:
            why = "not tested"
        elif all(scenario.verdict is Verdict.NOT_OFFERED for scenario in about):
            why = "not offered"
        else:
            continue
        yield f"{one.where}: {one.entry.place}: {why}"


def asked_by(scenario: ScenarioResult) -> Asking:
    """The `Asking` of a scenario of a run."""
    return Asking(scenario.requirement, scenario.scenario, scenario.protocol, scenario.example)
