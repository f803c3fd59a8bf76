"""`fencepost new`: a proposal, a requirement and a defect that run as they were written, in a copy of the checkout."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import CHECKOUT
from imports import ORDER

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.reference.defects import overriding
from fencepost.reference.defects.overriding import decisions_of, with_imports
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.scaffolding import checkout, proposal, requirement

STATEMENT = "A commit: it is answered, with the next epoch."


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, with links by which Python finds its packages."""
    folder = tmp_path_factory.mktemp("copy")
    links = folder / "build" / "typing" / "fencepost"
    for package in (*ORDER, "docs"):
        shutil.copytree(CHECKOUT / package, folder / package)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(CHECKOUT / name, folder / name)
    links.mkdir(parents=True)
    for path in (folder / "fencepost").iterdir():
        (links / path.name).symlink_to(path)
    for package in (*ORDER, "docs"):
        if package != "fencepost":
            (links / package).symlink_to(folder / package)
    return folder


def run(copied: Path, *arguments: str, expect: int = 0) -> str:
    """The command line of the copy, in it: what it printed."""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(copied / "build" / "typing")}
    command = [sys.executable, "-P", "-m", "fencepost", *arguments]
    done = subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == expect, f"{arguments}: {done.stdout}\n{done.stderr}"
    return done.stdout


def test_what_is_written_runs_and_a_defect_turns_it_red(copied: Path) -> None:
    """From a new proposal to a red that its own defect shows; all of it is provisional until the next edition."""
    run(copied, "new", "proposal", "kip999", "--title", "KIP-999", "--protocol", "kafka")
    run(
        copied,
        "new",
        "requirement",
        "kip999-001",
        "--feature",
        "ending",
        "--statement",
        STATEMENT,
        "--section",
        "Ends",
        "--theme",
        "commits",
    )
    honest = run(copied, "run", "--only", "KIP999-001", "--edition", "next", "--no-html")
    named = ("--breaks", "KIP999-001", "--overrides", "coordinator.prepare", "--seen", r"^[a-z]+")
    run(copied, "new", "defect", "kip999-forgets", *named)
    module = copied / "reference/defects/kip999/ending.py"
    text = module.read_text(encoding="utf-8")
    refusing = text.replace("return super().prepare(", "raise RequestRefused(Errors.INVALID_TXN_STATE)  # (").replace(
        '"""Defects in ending."""\n',
        '"""Defects in ending."""\n\nfrom fencepost.reference.kafka.kafka_errors import Errors, RequestRefused\n',
    )
    module.write_text(refusing, encoding="utf-8")

    broken = run(copied, "run", "--defect", "kip999-forgets", "--only", "KIP999-001", "--edition", "next", "--no-html", expect=1)

    assert "conforms to KIP-999 (next Fencepost edition)" in honest
    assert "does not conform: 1 violated" in broken
    assert "| KIP-999 ([register](docs/kip999.md)) | 1 | all |\n" in (copied / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("requirement_id", "feature"), [("KIP890-999", "ending"), ("PIP471-99", "sealing")])
def test_a_requirement_is_added_to_a_feature_that_has_a_background(copied: Path, requirement_id: str, feature: str) -> None:
    """What is written uses no name that the Background gives to something else, so its scenario passes."""
    run(copied, "new", "requirement", requirement_id, "--feature", feature, "--statement", STATEMENT, "--section", "Ends")

    assert "conforms" in run(copied, "run", "--only", requirement_id, "--edition", "next", "--no-html")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kip890", "features/kip890 exists already: choose another name"),
        ("KIP-939", "KIP-939: the name of a proposal is that of a folder; expected small letters and digits, such as kip939"),
    ],
)
def test_a_proposal_under_a_name_that_is_taken_or_none_is_refused(copied: Path, name: str, message: str) -> None:
    """And nothing is written."""
    before = (copied / "README.md").read_bytes()

    with pytest.raises(WrongUsage, match=message):
        proposal.make(copied, name, "A title", "somewhere", ["kafka"])

    assert (copied / "README.md").read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"identifier": "KIP890-060"},
            "KIP890-060 exists already, in features/kip890/requirements.yaml; ids are never reused, also those in gaps: take KIP890-\\d",
        ),
        ({"identifier": "KIP890"}, "KIP890: expected the id of a requirement, such as KIP939-001"),
        ({"identifier": "KIP891-001"}, r"unknown proposal 'KIP891'; did you mean KIP890\?"),
        ({"identifier": "CORE-99"}, "features/core speaks core; a scenario is written for kafka and pulsar only"),
        ({"level": "SHALL"}, "unknown level 'SHALL'"),
        ({"themes": ["paint"]}, "unknown theme 'paint'"),
        ({"feature": "../ending"}, r"--feature \.\./ending: expected the name of a feature file without its ending"),
        ({"statement": "two\nlines"}, "--statement: expected one sentence"),
    ],
)
def test_a_requirement_that_cannot_be_is_refused(copied: Path, changed: dict[str, object], message: str) -> None:
    """One line with what is wrong and the remedy."""
    given: dict[str, object] = {
        "identifier": "KIP890-998",
        "feature": "ending",
        "statement": "It holds.",
        "section": "s",
        "level": "MUST",
        "why": "w",
        "themes": [],
    }

    with pytest.raises(WrongUsage, match=message):
        requirement.make(copied, **(given | changed))  # type: ignore[arg-type]


def test_only_a_checkout_is_written_to_and_nothing_is_replaced(tmp_path: Path) -> None:
    """Else a mistyped folder would get files."""
    with pytest.raises(WrongUsage, match="is no checkout of Fencepost: run this in a clone, or name one with --checkout DIR"):
        checkout.find(tmp_path)
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(WrongUsage, match="there exists already: choose another name, or remove it"):
        checkout.write(tmp_path, {"other": "x", "there": "theirs"}, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there"]


def test_every_decision_of_every_part_can_be_overridden() -> None:
    """The written code compiles, and calls the original decision with all its arguments."""
    written = 0
    for protocol, parts in overriding.PARTS.items():
        for part, base in overriding.classes_of(parts).items():
            for name in decisions_of(base):
                found = overriding.decision(protocol, f"{part}.{name}")
                compile(
                    "\n".join([*found.imports, f"class It({found.base}):", f"    {found.signature}", f"        {found.call}"]), name, "exec"
                )
                written += 1

    assert written > 300
    assert overriding.decision("kafka", "coordinator.bumps_epoch").call == "return super().bumps_epoch(end_txn_version)"
    assert "prepare" in decisions_of(KafkaCoordinator)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("directry.locate", r"unknown part of the reference 'directry'; did you mean directory\? \(`fencepost list --decisions` has all\)"),
        ("coordinator.bumps", r"unknown decision of coordinator 'bumps'; did you mean bumps_epoch\?"),
    ],
)
def test_a_decision_that_there_is_none_of_is_reported_with_the_nearest(named: str, message: str) -> None:
    """Among the parts, or among the decisions of that part."""
    with pytest.raises(UnknownName, match=message):
        overriding.decision("kafka", named)


def test_a_part_alone_names_its_decisions() -> None:
    """So that an author need not look for them."""
    with pytest.raises(
        WrongUsage, match=r"coordinator: expected PART\.DECISION, such as coordinator\.bumps_epoch; coordinator decides .*prepare"
    ):
        overriding.decision("kafka", "coordinator")


@pytest.mark.parametrize("named", ["bumps_epoch", "leader.bumps_epoch"])
def test_a_decision_without_its_part_or_with_another_is_reported_with_its_part(named: str) -> None:
    """A contributor finds the method in the code, and its part only in `fencepost list --decisions`."""
    with pytest.raises(WrongUsage, match=rf"{named}: expected PART\.DECISION; did you mean coordinator\.bumps_epoch\?"):
        overriding.decision("kafka", named)


def test_imports_are_added_after_those_of_the_module_and_once() -> None:
    """Also where one of them is there under several names."""
    module = '"""A module."""\n\nfrom fencepost.a import B, C\n\n\nx = 1\n'

    assert with_imports(module, ["from fencepost.a import C", "from fencepost.d import E"]) == (
        '"""A module."""\n\nfrom fencepost.a import B, C\nfrom fencepost.d import E\n\n\nx = 1\n'
    )
