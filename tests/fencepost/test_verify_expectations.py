"""`run --verify-expectations N`: how often known deviations show, measured again, and what is offered to their maintainer."""

import re
from pathlib import Path

import pytest

from fencepost.contract.evidence import Mismatch
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.deviations.known_deviations import DeviationEntry, LocatedDeviation
from fencepost.deviations.verification import MeasuredDeviation, Measuring
from tests.support.commands import fencepost

SCENARIO = "[1] The system crashes before the timeout of a transaction"


def known(intermittent: object = None, requirement: str = "PIP31-43") -> LocatedDeviation:
    entry = DeviationEntry.model_validate(
        {"requirement": requirement, "symptom": {"seen": "a1"}, "reason": "it forgets", "intermittent": intermittent}
    )
    return LocatedDeviation(entry, "bundled pulsar.yaml", 7, is_own=False)


def result(verdict: Verdict, seen: str | None = None) -> ScenarioResult:
    violation = Mismatch("nothing", seen, "readers of orders") if seen else None
    return ScenarioResult("PIP31-43", "pip31/expiry.feature", SCENARIO, verdict, None, 1, 0.1, violation=violation)


def test_a_try_is_a_scenario_that_was_judged() -> None:
    """The symptom counts, another symptom is a try without it, and what is inconclusive is none."""
    measuring = Measuring([], every=False, known=(known({"seen": 1, "tried": 8}),))
    measuring.results += [
        result(Verdict.KNOWN_DEVIATION, '"a1"'),
        result(Verdict.VIOLATED, '"b1"'),
        result(Verdict.MET),
        result(Verdict.INCONCLUSIVE),
    ]

    [one] = measuring.measured()

    assert (one.seen, one.tried, one.undecided) == (1, 3, 1)
    assert str(one) == ("PIP31-43: seen in 1 of 3 tries; 1 said nothing; the entry says seen in 1 of 8 tries (bundled pulsar.yaml:7)")


def test_only_entries_that_were_asked_about_are_reported() -> None:
    """One of another requirement was not tried; one that must show each time is reported where every entry is measured."""
    for every in (False, True):
        measuring = Measuring([], every, [result(Verdict.MET)], (known(), known({"seen": 1, "tried": 2}, "PIP31-32")))
        assert [one.known.entry.requirement for one in measuring.measured()] == (["PIP31-43"] if every else [])


@pytest.mark.parametrize(
    ("intermittent", "seen", "tried", "remedy"),
    [
        ({"seen": 1, "tried": 8}, 1, 10, "intermittent: {seen: 2, tried: 18}"),
        ({"seen": 1, "tried": 8}, 0, 0, None),
        (None, 10, 10, None),
        (None, 7, 10, "intermittent: {seen: 7, tried: 10}"),
        (None, 0, 10, "was not seen: remove the entry"),
    ],
)
def test_what_to_paste_counts_the_tries_of_before(intermittent: object, seen: int, tried: int, remedy: str | None) -> None:
    """A second measurement adds to what is known; nothing is offered where nothing changes."""
    assert MeasuredDeviation(known(intermittent), seen, tried, 0).remedy == remedy


def test_it_measures_a_system_and_writes_nothing(tmp_path: Path) -> None:
    """The reference that imitates a release shows what shows each time, in every try."""
    measure = ("--verify-expectations", "2", "--verify-all")
    said = fencepost("run", "--profile", "pulsar-4.0", "--only", "PIP31-57", *measure, expect=0, cwd=tmp_path).out

    each_time = r"PIP31-57 \[1\] [^:]*: seen in (\d+) of \1 tries; the entry says each time \(bundled pulsar\.yaml:"
    assert re.search(each_time, " ".join(said.split()))
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (["--verify-all"], "--verify-all needs --verify-expectations N"),
        (["--verify-expectations", "2", "-n", "2"], "leave out --results, --write-baseline, --check and -n"),
        (["--verify-expectations", "2", "--expectations", "none"], "use --verify-all to measure every entry"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: list[str], reported: str) -> None:
    """Wrong usage is reported before anything is started."""
    assert reported in fencepost("run", *options, expect=2).err
