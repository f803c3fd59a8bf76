"""Proposals bind systems by the protocols that these speak."""

import shutil
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost, python_code

from fencepost.adapters import registry
from fencepost.contract import proposals, register
from fencepost.contract.errors import WrongUsage


def test_every_proposal_has_its_protocols() -> None:
    """A proposal that binds no protocol would never be asked."""
    known = proposals.bundled()

    assert set(register.bundled().by_spec) == set(known.by_spec)
    assert all(known.protocols_of(spec) for spec in known.by_spec)


def test_core_is_for_every_protocol() -> None:
    """A system of any protocol is asked what every transactional log promises."""
    known = proposals.bundled()
    spoken = {protocol for spec in known.by_spec for protocol in known.protocols_of(spec)}

    assert set(known.protocols_of("core")) == spoken
    assert all("core" in known.binding(protocol) for protocol in spoken)


def test_a_proposal_of_another_protocol_is_refused() -> None:
    """The error says what the system speaks, and which proposals there are for it."""
    reported = fencepost("run", "--profile", "pulsar-4.0", "--spec", "kip890", expect=2)

    assert "--spec kip890 is about kafka, and reference speaks pulsar" in str(reported)


WHOLE = "title: PIP-471\nsource: https://example.org/pip-471\nprotocols: [pulsar]\nvocabularies: []\n"
EXPECTED = "expected: title and source, protocols as a list such as [kafka], vocabularies as a list, [] for none"
WITH_FEATURES = """
import sys
from importlib.util import module_from_spec, spec_from_file_location

place = spec_from_file_location("fencepost.features", {folder!r} + "/__init__.py", submodule_search_locations=[{folder!r}])
sys.modules["fencepost.features"] = module_from_spec(place)
place.loader.exec_module(sys.modules["fencepost.features"])
sys.argv = ["fencepost", *{arguments!r}]
from fencepost.cli.application import main
main()
"""
"""The command line, on a copy of the features."""


@pytest.fixture
def features(tmp_path: Path) -> Path:
    """A copy of the features, with one proposal more."""
    folder = tmp_path / "features"
    shutil.copytree(CHECKOUT / "features", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pip999").mkdir()
    (folder / "pip999" / "spec.yaml").write_text(WHOLE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("mistake", "reported"),
    [
        (("[pulsar]", "[pulsar, plusar]"), "pip999/spec.yaml:3: protocols.2: 'plusar' is unknown; expected one of kafka, pulsar"),
        (("source: https://example.org/pip-471\n", ""), f"pip999/spec.yaml:1: source: this key is missing; {EXPECTED}"),
        (("protocols: [pulsar]", "protocols: []"), "pip999/spec.yaml:3: protocols: "),
        (("protocols: [pulsar]", "protocols: pulsar"), "pip999/spec.yaml:3: protocols: "),
        (("source:", "sauce:"), f"pip999/spec.yaml:2: sauce: this key is not known here; is it misspelt?; {EXPECTED}"),
    ],
)
def test_a_mistake_in_a_spec_is_reported_with_its_place(features: Path, mistake: tuple[str, str], reported: str) -> None:
    """File, line, key, and what is expected there."""
    (features / "pip999" / "spec.yaml").write_text(WHOLE.replace(*mistake), encoding="utf-8")

    with pytest.raises(WrongUsage) as error:
        proposals.read(features).check(registry.protocols())

    assert reported in str(error.value)


def test_a_register_without_a_spec_is_a_mistake(features: Path) -> None:
    """No system would ever be asked about it."""
    (features / "pip999" / "spec.yaml").rename(features / "pip999" / "requirements.yaml")

    with pytest.raises(WrongUsage, match=r"pip999/spec\.yaml: there is no such file next to requirements\.yaml; expected: "):
        proposals.read(features)


@pytest.mark.parametrize("arguments", [("run", "--only", "KIP890-060", "--no-html"), ("doctor",), ("list",), ("prove", "--spec", "core")])
def test_commands_end_with_exit_code_2_at_a_mistake(features: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Whichever looks at proposals."""
    (features / "pip999" / "spec.yaml").write_text(WHOLE.replace("pulsar", "plusar"), encoding="utf-8")
    given = [*arguments, *(["--results", str(tmp_path / "results")] if arguments[0] in ("run", "prove") else [])]

    finished = python_code(WITH_FEATURES.format(folder=str(features), arguments=given), expect=2)

    assert "pip999/spec.yaml:3: protocols.1: 'plusar' is unknown; expected one of kafka, pulsar" in finished.out + finished.err
    assert "Traceback" not in finished.out + finished.err


def test_a_whole_spec_is_no_mistake(features: Path) -> None:
    """The copy itself is fine."""
    python_code(WITH_FEATURES.format(folder=str(features), arguments=["list", "--spec", "core"]), expect=0)
