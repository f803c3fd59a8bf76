"""Exploration: silent on what conforms, and what it finds is a small scenario that fails again."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from commands import fencepost, verdicts

from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation
from fencepost.contract.register import bundled
from fencepost.contract.registration import Asked
from fencepost.explore import search
from fencepost.explore.reducing import reduced
from fencepost.explore.scenario import feature, told
from fencepost.explore.trial import Finding, Trials, Tried
from fencepost.judged_systems import JudgedSystems
from fencepost.options import Options
from fencepost.reference.defects import DEFECTS, LAWFUL
from fencepost.steps.acts.act import Line
from fencepost.steps.acts.core import TABLE

PROTOCOLS = ("kafka", "pulsar", "pulsar-scalable")


def trials(protocol: str, defect: str | None = None) -> Trials:
    """Trials of the core on the reference."""
    options = Options(asked=Asked({"defect": defect} if defect else {}))
    systems = JudgedSystems(options, bundled())
    systems.open({protocol: [frozenset()]})
    return Trials(TABLE.offered(systems.handshakes[protocol].capabilities), systems.by_protocol[protocol].session)


def always(_: search.Progress) -> bool:
    return True


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_keeps_every_sequence_of_two_acts(protocol: str) -> None:
    """And random ones of ten."""
    honest = trials(protocol)

    whole, some = search.exhaustive(honest, 2, always), search.drawn(honest, 60, 10, 1, always)

    assert (whole.finding, whole.is_whole) == (None, True)
    assert whole.count > 150
    assert (some.finding, some.count) == (None, 60)


@pytest.mark.parametrize("name", [name for name, variant in LAWFUL.items() if variant.protocol in PROTOCOLS])
def test_a_conforming_variant_is_silent(name: str) -> None:
    """A judge that speaks of one of these would speak of a conforming broker."""
    assert search.drawn(trials(LAWFUL[name].protocol, name), 12, 10, 4, always).finding is None


FOUND = {
    "core-kafka-second-commit-fences": 4,
    "core-kafka-second-abort-undoes-the-first": 3,
    "core-kafka-committed-is-aborted": 3,
    "core-kafka-never-expires": 1,
    "core-kafka-lost-transaction-is-committed": 3,
    "core-kafka-late-write-shown": 3,
    "core-kafka-late-write-hangs-elsewhere": 4,
    "core-kafka-aborted-shown-to-followers": 4,
    "core-kafka-input-comes-again": 2,
    "core-kafka-input-lost": 3,
    "core-kafka-repeated-end-ends-the-next": 4,
    "core-kafka-late-to-its-commit-hides": 3,
    "core-kafka-repeated-write-is-stored": 2,
    "core-kafka-places-forgotten-by-crash": 3,
    "core-kafka-open-input-given": 2,
    "core-kafka-open-forgotten-by-crash": 3,
    "core-kafka-commit-forgotten-by-crash": 3,
    "core-kafka-second-log-forgotten-by-crash": 3,
    "core-kafka-dirty-read": 2,
    "core-kafka-order-turned": 2,
    "core-kafka-abort-hides-all": 3,
}
"""Defects, and the most acts that a finding of them has."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_found_and_made_small(name: str) -> None:
    """Whatever was drawn, what is left over has no act that it can do without."""
    broken = trials("kafka", name)

    finding = search.drawn(broken, 600, 10, 1, always).finding

    assert finding is not None
    assert len(reduced(finding, lambda acts: broken.play(acts).finding).acts) <= FOUND[name]


def test_a_finding_is_a_feature_that_fails_again(tmp_path: Path) -> None:
    """Under the same requirement, and on the same system alone: the honest one meets it."""
    name = "core-kafka-late-write-hangs-elsewhere"
    results, again = tmp_path / "explored", tmp_path / "again"

    said = fencepost("explore", "--defect", name, "--results", results, expect=1, cwd=tmp_path).out
    [found] = [one["finding"] for one in json.loads((results / "explored.json").read_text())["explored"]]
    asked = ("run", "--feature", found["feature"], "--results", again, "--no-html")
    fencepost(*asked, "--defect", name, expect=1, cwd=tmp_path)
    broken = verdicts(again)
    fencepost(*asked, expect=0, cwd=tmp_path)

    assert f"FOUND {found['requirement']}" in said
    assert (results / "found").is_dir()
    assert broken == {found["requirement"]: "violated"}
    assert verdicts(again) == {found["requirement"]: "met"}


def test_a_folder_of_features_is_judged_beside_the_bundled_ones(tmp_path: Path) -> None:
    """A team's own scenario of a requirement counts like ours."""
    broken = "core-kafka-order-turned"
    fencepost("explore", "--defect", broken, "--results", tmp_path / "explored", expect=1, cwd=tmp_path)
    more = ("--features", tmp_path / "explored" / "found", "--spec", "core", "--results", tmp_path / "results", "--no-html")

    fencepost("run", *more, expect=0, cwd=tmp_path)

    judged = json.loads((tmp_path / "results" / "compliance.json").read_text())["requirements"]
    files = {one["feature"] for row in judged for one in row["scenarios"]}
    assert {file.partition("/")[0] for file in files} == {"core", "found"}


def test_a_certificate_says_what_was_gone_through(tmp_path: Path) -> None:
    """How many sequences of which acts, on which system; and which acts never came."""
    said = fencepost("explore", "--depth", "1", "--results", tmp_path / "explored", expect=0, cwd=tmp_path).out
    told = json.loads((tmp_path / "explored" / "explored.json").read_text())["explored"]

    assert [one["protocol"] for one in told] == list(PROTOCOLS)
    for one in told:
        assert (one["bounds"], one["whole"], one["finding"]) == ("every sequence of at most 1 act", True, None)
        assert one["sequences"] + len(one["acts_never_fired"]) == one["acts"]
        assert f"nothing found: {one['sequences']} sequences" in said


def test_what_has_no_time_ends_early_and_says_so(tmp_path: Path) -> None:
    """What was gone through until then is no certificate of all."""
    said = fencepost("explore", "--depth", "4", "--time", "0.01", "--results", tmp_path / "explored", expect=0, cwd=tmp_path).out

    assert said.count("the time was up before the end") == len(PROTOCOLS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--spec", "kip890"), "--spec kip890: no acts are known of it; expected core"),
        (("--depth", "2", "--examples", "3"), "--depth and --examples exclude each other"),
        (("--time", "soon"), "--time soon: expected seconds, or a number with s, m or h"),
        (("--defect", "no-such"), "no-such"),
    ],
)
def test_what_cannot_be_explored_is_refused(tmp_path: Path, options: Sequence[str], said: str) -> None:
    """In one line, and nothing is begun."""
    finished = fencepost("explore", *options, expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
    assert not list(tmp_path.iterdir())


OWN = """Feature: Mine

  @{tag} @MUST
  Rule: Mine
    Why.

    Scenario: [1] One
      Given {step}
      Then readers of orders see nothing
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OWN.format(tag="CORE-07", step="the log orders"), "own.feature:8: no sentence of core parses the Given 'the log orders'"),
        (OWN.format(tag="CORE-999", step='the log "orders"'), "own.feature:4: expected a Rule with the tag of a requirement"),
        ("Feature: Mine\n", "own.feature: expected Rules of one proposal, for it decides what steps may say; found none"),
        ("nonsense", "own.feature: expected a feature file that can be read"),
    ],
)
def test_a_feature_that_cannot_be_played_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """With its line, before anything is started."""
    (tmp_path / "own.feature").write_text(text, encoding="utf-8")

    finished = fencepost("run", "--feature", tmp_path / "own.feature", expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
    assert not (tmp_path / "results").exists()


def test_a_folder_without_features_is_refused(tmp_path: Path) -> None:
    """Nobody asked for the bundled ones alone."""
    assert "expected a folder with files called NAME.feature" in fencepost("run", "--features", tmp_path, expect=2, cwd=tmp_path).err


def given(*texts: str) -> tuple[Line, ...]:
    return tuple(Line("Given", text, "CORE-07") for text in texts)


WHEN = Line("When", "A commits", "CORE-07", "A has committed")
DONE = Line("Then", "it is done", "CORE-07")
SEEN = Line("Then", 'readers of orders see "a1"', "CORE-07")


def finding(*lines: Line, acts: tuple[str, ...] = ("x",)) -> Finding:
    return Finding(acts, lines, "CORE-07", "violated", Violation("a", "b", what="readers"))


@pytest.mark.parametrize(
    ("lines", "as_said"),
    [
        ((WHEN, DONE, WHEN, DONE, SEEN), ["Given A has committed", "When A commits", 'Then readers of orders see "a1"']),
        ((WHEN, DONE, WHEN, DONE), ["Given A has committed", "When A commits", "Then it is done"]),
        ((WHEN, DONE, *given("it stops")), ["Given A has committed", "Given it stops"]),
    ],
)
def test_a_finding_is_said_as_a_scenario(lines: tuple[Line, ...], as_said: list[str]) -> None:
    """What led to the question is a Given, what is judged comes behind one When, and that something was done is left out."""
    said = told(finding(*lines), lambda _: True)

    assert [f"{line.kind} {line.text}" for line in said] == as_said


def test_a_finding_that_a_given_hides_keeps_its_whens() -> None:
    """A Given waits until everything is everywhere; where that heals the system, the scenario says what was really asked."""
    assert [line.kind for line in told(finding(WHEN, DONE, WHEN, DONE, SEEN), lambda _: False)] == ["When", "When", "Then"]


def test_markup_and_line_ends_of_a_system_stay_in_their_line() -> None:
    """What a system says cannot add steps to a scenario."""
    error = Violation("a", "b\n  Given something else", what="readers")
    text = feature(Finding(("x",), (SEEN,), "CORE-07", "violated", error), [SEEN], bundled()["CORE-07"], ["crash"], "found")

    assert not re.search(r"^\s*Given something else", text, re.MULTILINE)
    assert "    @needs:crash" in text.splitlines()


def test_reducing_keeps_what_the_finding_needs() -> None:
    """A pair that is only possible together goes together, and another cause is no substitute."""

    def play(acts: Sequence[str]) -> Finding | None:
        if ("write" in acts) is not ("end" in acts):
            return None
        return finding(SEEN, acts=tuple(acts)) if {"a", "b"} <= set(acts) else None

    found = finding(SEEN, acts=("write", "a", "end", "c", "b"))

    assert reduced(finding(SEEN, acts=("c", "a", "write", "end", "b", "c")), play).acts == ("a", "b")
    assert reduced(found, lambda _: None).acts == found.acts


@pytest.mark.parametrize(
    ("error", "how"), [(Violation("a", "b", what="x"), "violated"), (SetUpFailed("no"), "refused"), (NoAnswer("late"), "unanswered")]
)
def test_how_a_line_failed_is_told_apart(monkeypatch: pytest.MonkeyPatch, error: Exception, how: str) -> None:
    """A system that does not answer is found on the reference only, whose time is virtual; elsewhere nobody knows."""
    acts = ("A writes to orders",)

    def tried(*, is_prompt: bool) -> Tried:
        played = trials("kafka")
        monkeypatch.setattr(played, "_is_prompt", is_prompt)
        monkeypatch.setattr("fencepost.steps.core.context.ScenarioContext.write", _raising(error))
        return played.play(acts)

    prompt, other = tried(is_prompt=True), tried(is_prompt=False)

    assert prompt.finding is not None
    assert prompt.finding.how == how
    assert (other.finding is None, other.unanswered) == ((True, "late") if how == "unanswered" else (False, None))


def _raising(error: Exception) -> Callable[..., None]:
    def raises(*_: object) -> None:
        raise error

    return raises


def test_several_at_once_are_the_same_sequences_for_the_same_seed() -> None:
    """Drawn before anything is answered."""

    class Noted(Trials):
        def put(self, script: object) -> Tried:
            noted.append(tuple(script.acts))  # type: ignore[attr-defined]
            return Tried(noted[-1])

    noted: list[tuple[str, ...]] = []
    kept = []
    for _ in range(2):
        noted.clear()
        progress = search.at_once(Noted(TABLE, lambda *_: pytest.fail("nobody is asked")), 30, 5, 9, 4, always)
        kept.append(sorted(noted))
        assert progress.count == 30

    assert kept[0] == kept[1]


def test_defects_of_the_list_exist() -> None:
    """A renamed defect would be a test of nothing."""
    assert set(FOUND) <= set(DEFECTS)
