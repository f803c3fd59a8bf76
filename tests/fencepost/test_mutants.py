"""Mutants: how one is made in a running process, which scenarios may reach it, and what the suite's answer counts as."""

import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from mutant_places import places
from rich.console import Console

from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import Verdict
from fencepost.proof.mutants import known_mutants, mutant_report, mutation_run, reference_sources
from fencepost.proof.mutants.code_swap import Functions, NotApplied
from fencepost.proof.mutants.known_mutants import KnownMutants
from fencepost.proof.mutants.line_coverage import LineReach
from fencepost.proof.mutants.mutant_verdicts import Outcome, RedOnMutant
from fencepost.proof.mutants.mutation_run import Drawn, MutationTrial
from fencepost.proof.mutants.mutation_sites import MutationSite, places_in
from fencepost.proof.proof_folder import MUTANTS, MUTANTS_PAGE, claimed

MODULE = """
from functools import cached_property

class Part:
    def __init__(self):
        self.kept = 1

    def method(self):
        return self.kept + 1

    @property
    def known(self):
        return 1

    @cached_property
    def once(self):
        return 1

    def of_parent(self):
        return super().__class__ is object

def function():
    return 1
"""


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], MutationSite]:
    """A reference of one file, imported as `part`; answers the only place of one of its functions."""
    room = tmp_path / "reference"
    (room / "kafka").mkdir(parents=True)
    (room / "kafka" / "part.py").write_text(MODULE)
    monkeypatch.setattr(reference_sources, "root", lambda: room)
    monkeypatch.syspath_prepend(str(room / "kafka"))
    monkeypatch.delitem(sys.modules, "part", raising=False)
    found = places_in("reference/kafka/part.py", MODULE.encode())
    return lambda function: next(place for place in found if place.key.function == function)


def test_code_that_holds_a_function_calls_the_changed_one(part: Callable[[str], MutationSite]) -> None:
    """Imported names, bound methods, properties and what a decorator wraps are changed where they are."""
    import part as module  # type: ignore[import-not-found]

    function, one = module.function, module.Part()
    method, functions = one.method, Functions()
    for name in ("Part.method", "Part.known", "Part.once", "Part.of_parent", "function"):
        functions.change(part(name), MODULE.encode())

    assert (function(), method(), one.known, one.once, one.of_parent()) == (2, 0, 2, 2, True)


def test_a_place_that_is_in_no_function_cannot_be_applied(part: Callable[[str], MutationSite]) -> None:
    """It is a fault of ours, and is not taken for a mutant that survived."""
    with pytest.raises(NotApplied):
        Functions().change(part("function"), MODULE.encode())  # no module has imported it


REACH = LineReach(
    frozenset({("reference/kafka/x.py", 1), ("reference/kafka/x.py", 3)}),
    {
        "seed": {"near": frozenset({("reference/kafka/x.py", 2)}), "far": frozenset({("reference/kafka/y.py", 9)})},
        "pulsar-4.0": {"other": frozenset({("reference/pulsar/x.py", 2)})},
    },
)
TEXT = "def f():\n    a.one()\n    a.two()\n    a.three()\nA = 1\n"


@pytest.mark.parametrize(
    ("number", "everything", "asked"),
    [
        pytest.param(2, False, {"seed": ["near"]}, id="a line that a scenario reaches"),
        pytest.param(4, False, {}, id="a line that is never reached"),
        pytest.param(4, True, {"seed": ["near", "far"]}, id="everything of the protocol"),
        pytest.param(3, False, {"seed": ["near", "far"]}, id="a line that has run before the first scenario"),
        pytest.param(5, False, {"seed": ["near", "far"]}, id="a line of the module"),
    ],
)
def test_a_mutant_is_asked_what_may_come_across_it(number: int, everything: bool, asked: dict[str, list[str]]) -> None:
    """What takes effect before the first scenario may show in each of its protocol."""
    (place,) = (one for one in places(TEXT) if one.number == number)

    assert REACH.asked(place, everything) == asked


def test_a_scenario_is_asked_once_where_profiles_make_no_difference_to_it() -> None:
    """One that takes other lines under a release is asked there too; with --all each is."""
    (place,) = places("def f():\n    a.b()\n")
    here, elsewhere = (place.key.file, place.at), (place.key.file, 9)
    alike, other = frozenset({here}), frozenset({here, elsewhere})
    reach = LineReach(frozenset(), {"seed": {"x": alike, "y": alike}, "kafka-4.0": {"x": alike, "y": other}})

    assert reach.asked(place, False) == {"seed": ["x", "y"], "kafka-4.0": ["y"]}
    assert reach.asked(place, True) == {"seed": ["x", "y"], "kafka-4.0": ["x", "y"]}


PLACE = places("def f():\n    a.b()\n")[0]
VIOLATED = RedOnMutant("seed", "KIP890-060", "[1] A", Verdict.VIOLATED.value, "why")
BROKEN = RedOnMutant("seed", "KIP890-001", "[1] B", Verdict.HARNESS_ERROR.value, "KeyError")
MENDED = RedOnMutant("kafka-4.0", "KIP890-113", "[1] C", Verdict.HARNESS_ERROR.value, "stale", is_mended=True)


@pytest.mark.parametrize(
    ("reds", "died", "state"),
    [
        ((VIOLATED, BROKEN), None, "killed"),
        ((BROKEN,), None, "broke"),
        ((), "the process ended with SIGKILL", "broke"),
        ((MENDED,), None, "mended"),
        ((MENDED, VIOLATED), None, "killed"),
        ((), None, "survived"),
    ],
)
def test_only_a_verdict_kills(reds: tuple[RedOnMutant, ...], died: str | None, state: str) -> None:
    """A run that breaks reports nothing about the broker to a user, and a release that keeps a promise breaks none."""
    assert Outcome(PLACE, reds, 1, died).state == state


def trial_of(outcome: Outcome, harmless: bool = False, killed_before: bool = False) -> MutationTrial:
    known_ones = KnownMutants({PLACE.key: "no client sees it"} if harmless else {}, frozenset({PLACE.key} if killed_before else ()))
    return MutationTrial(Drawn((PLACE,), 1, 1, known_ones), (outcome,))


@pytest.mark.parametrize(
    ("reds", "harmless", "killed_before", "holds"),
    [
        ((VIOLATED,), False, False, True),
        ((), False, False, False),
        ((), True, False, True),
        ((VIOLATED,), True, False, False),
        ((BROKEN,), False, True, False),
        ((VIOLATED,), False, True, True),
    ],
)
def test_a_trial_holds_when_the_suite_finds_what_breaks_a_promise(
    reds: tuple[RedOnMutant, ...], harmless: bool, killed_before: bool, holds: bool
) -> None:
    """A survivor that is not conforming, a conforming one that is killed, and one that was killed before each keep it from holding."""
    assert trial_of(Outcome(PLACE, reds, 1), harmless, killed_before).holds is holds


def test_a_trial_that_was_stopped_does_not_hold() -> None:
    """It says how far it came."""
    stopped = MutationTrial(Drawn((PLACE,), 1, 1, KnownMutants({}, frozenset())), ())

    assert (stopped.holds, stopped.stopped) == (False, "stopped after 0 of 1 mutants")


@pytest.mark.parametrize("outcomes", [(), (Outcome(PLACE),)], ids=["stopped before the first", "all of them harmless"])
def test_no_share_is_printed_of_no_mutants(tmp_path: Path, outcomes: tuple[Outcome, ...]) -> None:
    """All of none is not 100 %."""
    trial, printed = MutationTrial(trial_of(Outcome(PLACE), harmless=True).drawn, outcomes), StringIO()

    mutant_report._sum_up(trial, Console(file=printed, width=200))
    mutant_report._write(claimed(tmp_path / "proof", MUTANTS, MUTANTS_PAGE), trial)

    assert "None that breaks a promise was judged." in printed.getvalue()
    for text in (printed.getvalue(), *(path.read_text() for path in (tmp_path / "proof").iterdir())):
        assert "100.0" not in text


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Replaces harmless.yaml and killed.yaml by the given texts."""
    monkeypatch.setattr(known_mutants, "_folder", lambda: tmp_path)

    def put(harmless: str, killed: str = "[]") -> None:
        (tmp_path / "harmless.yaml").write_text(harmless)
        (tmp_path / "killed.yaml").write_text(killed)

    return put


ENTRY = "- {file: reference/kafka/x.py, function: f, line: a.b(), change: (dropped), reason: no client ever sees it}\n"


def test_a_conforming_change_is_known_by_its_line(files: Callable[[str, str], None]) -> None:
    """It is listed with the reason that is reported for it."""
    files(ENTRY, "[]")

    assert known_mutants.load([PLACE]).harmless == {PLACE.key: "no client ever sees it"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(ENTRY.replace("a.b()", "a.c()"), "harmless.yaml:1: 1: no place of the reference is so any more", id="not there"),
        pytest.param(ENTRY + ENTRY, "harmless.yaml:2: 2: this change is named twice", id="twice"),
        pytest.param(ENTRY.replace(", reason: no client ever sees it", ""), "1.reason: this key is missing", id="no reason"),
    ],
)
def test_a_wrong_entry_is_named(files: Callable[[str, str], None], text: str, why: str) -> None:
    """With its file and line."""
    files(text, "[]")

    with pytest.raises(DataFileError) as reported:
        known_mutants.load([PLACE])

    assert why in str(reported.value)


def test_what_was_killed_is_written_as_it_is_read(files: Callable[[str, str], None]) -> None:
    """A place that goes is no error here: it only cannot survive any more."""
    files("[]", known_mutants.killed_text([PLACE.key, PLACE.key._replace(nth=2)]))

    assert known_mutants.load([]).killed == {PLACE.key, PLACE.key._replace(nth=2)}


def test_the_bundled_files_are_right() -> None:
    """Each conforming change names a place that exists."""
    assert known_mutants.load(mutation_run.places_of_files())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((None, 3, None, None, None), "--seed is about mutants"),
        ((None, None, ["reference/kafka"], None, None), "--only is about mutants"),
        ((9, None, None, None, ["kip890"]), "--spec is about defects"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: tuple[object, ...], why: str) -> None:
    """Instead of doing something else than was asked."""
    with pytest.raises(WrongUsage, match=why):
        mutant_report.check(*options)  # type: ignore[arg-type]
