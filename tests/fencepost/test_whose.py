"""Which broker is judged: the name of a run, and whose known deviations hold in it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import CHECKOUT, compliance, fencepost, verdicts
from foreign_packages import SYSTEM, install

from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.contract.ports import Handshake, Image
from fencepost.deviations.known_as import KnownAs, Likeness, settled
from fencepost.run.identity import DeclaredSystem, RunIdentity

SCHEMA = json.loads((CHECKOUT / "fencepost" / "compliance.schema.json").read_text(encoding="utf-8"))
SAID = Handshake("2.7", True, "kafka-4.3", frozenset(), looks_like=("kafka", "4.3"), deviations="no bundled deviations")
GENUINE = replace(SAID, version="4.3.1", looks_like=None, judged_as=("kafka", "4.3.1"))
DEVIATES = "KIP890-164"
FENCED = Mismatch("success", "a refusal: PRODUCER_FENCED", "answer to InitProducerId", "PRODUCER_FENCED", 90)
AS_RELEASE = SYSTEM.replace('super().open(), version="7.5.1", judged_as=(self.name, "7.5.1")', 'super().open(), version="7.5.1"').replace(
    "Tiny(patience", 'Tiny("kafka-4.3", patience'
)
"""A package whose system behaves as Kafka 4.3, and reports that version."""


# --- what a run is called -------------------------------------------------------------------------------------------------


def test_a_run_is_called_as_the_user_says(tmp_path: Path) -> None:
    """The name is in the results, the environment and the headline, with the labels."""
    given = ("--name", "corp-broker", "--version", "2.7", "--label", "commit=1a2b", "--label", "branch=a=b")

    out = fencepost("run", "--only", "KIP890-060", "--no-html", *given, "--results", tmp_path, expect=0).out

    system = compliance(tmp_path)["system"]
    jsonschema.validate(compliance(tmp_path), SCHEMA)
    called = {"name": "corp-broker", "version": "2.7", "profile": "seed", "labels": {"commit": "1a2b", "branch": "a=b"}}
    assert system == called | {"image": None, "defect": None, "known_as": None}
    assert json.loads((tmp_path / "environment.json").read_text(encoding="utf-8"))["system"].items() >= system.items()
    assert "corp-broker 2.7, profile seed" in out
    assert "corp-broker conforms" in out


def test_a_broken_reference_says_so_wherever_it_is_reported(tmp_path: Path) -> None:
    """It cannot be taken for the honest one: not in the results, and not in the headline."""
    out = fencepost("run", "--only", "KIP890-060", "--no-html", "--defect", "no-epoch-bump", "--results", tmp_path, expect=1).out

    assert compliance(tmp_path)["system"]["defect"] == "no-epoch-bump"
    assert "reference 0.1.0, profile seed, with the defect no-epoch-bump" in out
    assert "reference with the defect no-epoch-bump does not conform" in out


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        (("--name", " "), "--name is empty: expected NAME"),
        (("--name", "a\nb"), r"--name 'a\nb': expected a name such as my-broker, in one line"),
        (("--name", "x" * 101), "has 101 characters; expected 100 at most"),
        (("--version", ""), "--version is empty: expected VERSION"),
        (("--label", "commit"), "--label commit: expected KEY=VALUE, such as commit=1a2b3c"),
        (("--label", "=x"), "--label '=x': expected KEY=VALUE with a key"),
        (("--label", "a=1", "--label", "a=2"), "--label a=2: a is given twice, first as '1'"),
        (("--known-as", "4.3.1"), "--known-as 4.3.1: expected a system and the version of a release, such as kafka:4.3.1"),
        (("--known-as", "kafak:4.3.1"), "unknown system of --known-as 'kafak'; did you mean kafka?"),
        (("--known-as", "reference:0.1"), "unknown system of --known-as 'reference'"),
        (("--known-as", "kafka:new"), "--known-as kafka:new: 'new' is no version of a release; expected one such as 4.3.1"),
        (("--known-as", "kafka:4"), "--known-as kafka:4: '4' is no version of a release"),
        (
            ("--known-as", "kafka:4.3.1"),
            "--known-as kafka:4.3.1: the reference has the deviations of the release that its --profile imitates",
        ),
        (("kafka", "--bootstrap", "a:1", "--known-as", "pulsar:4.0.7"), "--known-as pulsar:4.0.7: kafka speaks kafka, so it is no pulsar"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: tuple[str, ...], reported: str, tmp_path: Path) -> None:
    """With the value, what was expected, and the remedy, before anything is started."""
    finished = fencepost("run", *given, expect=2, cwd=tmp_path)

    assert reported in finished.out + finished.err


def test_an_identity_is_known_before_the_system_answers() -> None:
    """What the user says, and the defect; then what the system says, where the user says nothing."""
    labels, image = {"commit": "1a2b"}, Image("corp/broker:2.7", "sha256:1a")
    named = DeclaredSystem("corp", None, labels, KnownAs.of("kafka:4.3.1"))

    before, after = RunIdentity.of("kafka", named, None, None), RunIdentity.of("kafka", named, None, replace(SAID, image=image))

    assert before == RunIdentity("corp", None, None, labels, None, None, "kafka:4.3.1")
    assert after == RunIdentity("corp", "2.7", "kafka-4.3", labels, image, None, "kafka:4.3.1")
    assert (str(before), str(after)) == ("corp", "corp 2.7, profile kafka-4.3")


def test_another_projects_image_is_called_by_its_own_name() -> None:
    """So it is never counted with the release that it may be a build of. The user's word wins."""
    built, own = Image("corp/broker:4.3.1", stranger="corp/broker"), Image("apache/kafka:4.3.1")

    called = [
        RunIdentity.of("kafka", named, None, replace(SAID, image=image)).name
        for named in (DeclaredSystem(), DeclaredSystem("ours"))
        for image in (built, own)
    ]

    assert called == ["corp/broker", "kafka", "ours", "ours"]


# --- whose deviations hold ------------------------------------------------------------------------------------------------


def test_the_users_word_makes_a_build_a_release() -> None:
    """With the more exact version; and the note says that the user named it, and what the system reports."""
    whole, line = (settled("kafka", SAID, KnownAs.of(text)) for text in ("kafka:4.3.1", "kafka:4.3"))

    assert (whole.judged_as, whole.looks_like, line.judged_as) == (("kafka", "4.3.1"), None, ("kafka", "4.3"))
    reported = "the bundled deviations of kafka 4.3.1 hold because of --known-as kafka:4.3.1; it reports that it is 4.3"
    assert whole.deviations == reported


def test_a_word_that_the_system_does_not_confirm_is_taken_with_a_warning() -> None:
    """A compatible broker that reports no release."""
    taken = settled("kafka", replace(SAID, looks_like=None), KnownAs.of("kafka:4.3.1"))

    assert taken.judged_as == ("kafka", "4.3.1")
    assert "the system does not report its release, so Fencepost cannot confirm that it is kafka 4.3.1" in str(taken.deviations)


@pytest.mark.parametrize("said", [SAID, GENUINE])
@pytest.mark.parametrize("known_as", ["kafka:4.0.0", "kafka:4.2", "pulsar:4.3.1"])
def test_a_word_that_the_system_contradicts_is_refused(said: Handshake, known_as: str) -> None:
    """The wrong release's deviations would excuse what no release did."""
    with pytest.raises(WrongUsage, match=r"kafka reports that it is kafka 4\.3.*; use --known-as kafka:4\.3"):
        settled("kafka", said, KnownAs.of(known_as))


def test_a_genuine_release_needs_no_word() -> None:
    """Nor does one change it, unless it is another patch."""
    assert settled("kafka", GENUINE, None) == settled("kafka", GENUINE, KnownAs.of("kafka:4.3.1")) == GENUINE
    assert settled("kafka", GENUINE, KnownAs.of("kafka:4.3")) == GENUINE
    with pytest.raises(WrongUsage, match=r"is kafka 4\.3\.1"):
        settled("kafka", GENUINE, KnownAs.of("kafka:4.3.2"))


def test_a_package_cannot_excuse_its_own_system() -> None:
    """What it says it is judged as is what it looks like; a system of no known release looks like none."""
    release, own = settled("tiny", GENUINE, None), settled("tiny", replace(GENUINE, judged_as=("tiny", "7.5.1")), None)

    assert (release.judged_as, release.looks_like) == (None, ("kafka", "4.3.1"))
    assert "if it is that release, use --known-as kafka:4.3.1" in str(release.deviations)
    assert (own.judged_as, own.looks_like) == (None, None)
    assert settled("tiny", GENUINE, KnownAs.of("kafka:4.3.1")).judged_as == ("kafka", "4.3.1")


@pytest.mark.parametrize(
    ("said", "violation", "is_notified"),
    [
        (SAID, FENCED, True),
        (SAID, replace(FENCED, error="UNKNOWN_SERVER_ERROR"), False),
        (SAID, None, False),
        (replace(SAID, looks_like=None), FENCED, False),
        (replace(SAID, looks_like=("kafka", "3.9")), FENCED, False),
        (GENUINE, FENCED, False),
    ],
)
def test_a_violation_of_the_release_that_it_looks_like_is_reported(said: Handshake, violation: Mismatch | None, is_notified: bool) -> None:
    """It has its link and what to say; another symptom, another release, or a release itself reports nothing."""
    hint = Likeness.of(said, register.bundled()).hint(DEVIATES, "[1] The answer to InitProducerId is lost in a crash", violation)

    assert (hint is not None) == is_notified
    if hint:
        assert hint.startswith("kafka 4.3 is known to do the same: ")
        assert "KAFKA-20357" in hint
        assert hint.endswith("--known-as kafka:4.3 makes it a known deviation")


# --- in a run -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Judge a package's system that does what Kafka 4.3 does."""
    (tmp_path / "packages").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    install(tmp_path / "packages", AS_RELEASE)

    def run(*given: str, expect: int, command: str = "run") -> tuple[str, Path]:
        results = ("--only", DEVIATES, "--only", "CORE-01", "--no-html", "--results", tmp_path) if command == "run" else ()
        finished = fencepost(command, "tiny", "--set-system", "address=a:1", *results, *given, expect=expect, cwd=tmp_path)
        return " ".join((finished.out + finished.err).split()), tmp_path

    return run


def test_no_other_systems_deviations_hold_and_the_failure_names_the_one_that_has_the_same(tiny: Any) -> None:
    """The hint leaves the verdict; it stands in the failure's text and in the results."""
    out, results = tiny(expect=1)

    assert verdicts(results) == {"CORE-01": "met", DEVIATES: "violated"}
    assert "known in: kafka 4.3.1 is known to do the same: The epoch before the last InitProducerId" in out
    assert "--known-as kafka:4.3.1 makes it a known deviation" in out
    assert "no bundled deviations: tiny reports that it is kafka 4.3.1" in out
    (reason,) = [row["reason"] for row in compliance(results)["requirements"] if row["id"] == DEVIATES]
    assert "is known to do the same" in reason


def test_known_as_a_release_they_are_known_deviations(tiny: Any) -> None:
    """The results say so; entries of a build may pass, for it may have mended some."""
    out, results = tiny("--known-as", "kafka:4.3.1", expect=0)

    assert verdicts(results) == {"CORE-01": "met", DEVIATES: "known_deviation"}
    assert compliance(results)["system"]["known_as"] == "kafka:4.3.1"
    assert "the bundled deviations of kafka 4.3.1 hold because of --known-as kafka:4.3.1" in out


def test_a_word_that_is_not_true_ends_the_run_before_it_begins(tiny: Any) -> None:
    """With exit code 2, also in the doctor."""
    for command in ("run", "doctor"):
        out, _ = tiny("--known-as", "kafka:4.0.0", expect=2, command=command)

        assert "tiny reports that it is kafka 4.3.1; use --known-as kafka:4.3.1, or leave it out" in out


def test_the_doctor_says_whose_deviations_hold(tiny: Any) -> None:
    """And lists them only where they do."""
    without, _ = tiny(expect=0, command="doctor")
    known, _ = tiny("--known-as", "kafka:4.3.1", expect=0, command="doctor")

    assert "no bundled deviations: tiny reports that it is kafka 4.3.1" in without
    assert "known deviations of this release" not in without
    assert "the bundled deviations of kafka 4.3.1 hold" in known
    assert f"{DEVIATES}: The epoch before the last InitProducerId" in known.partition("known deviations of this release")[2]
