"""A package outside of ours registers its own system: it is judged by its name, and a broken one harms no other system."""

import json
import sys
from pathlib import Path

import jsonschema
import pytest
from commands import CHECKOUT, compliance, fencepost, verdicts
from foreign_packages import SYSTEM, install

from fencepost.adapters import registry
from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.registration import SpecifiedSystem
from fencepost.run.options import RunOptions, given
from fencepost.run.selection import Selection

AT = ("--set-system", "address=127.0.0.1:1")
ONE = ("--only", "KIP890-060", "--no-html")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the Python path, outside of the checkout, of this process and of those that it starts."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "tiny_system", raising=False)
    return folder


def test_it_is_judged_under_its_own_name_and_version(packages: Path, tmp_path: Path) -> None:
    """The verdicts are of its protocol's proposals, also from worker processes, and the results say whose they are."""
    install(packages)

    out = fencepost("run", "tiny", *AT, *ONE, "-n", "2", "--only", "CORE-02", "--results", tmp_path / "results", expect=0).out

    found = compliance(tmp_path / "results")
    schema = json.loads((CHECKOUT / "fencepost" / "compliance.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    assert {name: found["system"][name] for name in ("name", "version", "profile")} == {
        "name": "tiny",
        "version": "7.5.1",
        "profile": "seed",
    }
    assert found["selection"]["specs"] == ["core", "kip890"]
    assert verdicts(tmp_path / "results") == {"CORE-02": "met", "KIP890-060": "met"}
    assert "tiny 7.5.1" in out


def test_the_doctor_looks_at_it(packages: Path) -> None:
    """What it is, and what it offers."""
    install(packages)

    out = fencepost("doctor", "tiny", *AT, expect=0).out

    assert "tiny 7.5.1, which speaks kafka" in out
    assert "EndTxn v0 to v5" in out
    assert "note:" not in out


@pytest.mark.parametrize(
    ("more", "options", "reported"),
    [
        ((), {}, "which tiny broker? a tiny broker is named with --set-system address=HOST:PORT"),
        ((), {"bootstrap": "a:1"}, "--bootstrap a:1: a tiny broker is named with --set-system address=HOST:PORT"),
        (
            ("adress=a:1",),
            {},
            "--set-system adress=a:1: a tiny broker is named with --set-system address=HOST:PORT; known options: address",
        ),
        (("address",), {}, "--set-system address: expected NAME=VALUE"),
        (("address=a:1", "address=a:2"), {}, "--set-system address=a:2: address is given twice, first as a:1"),
        (("address=a:1",), {"defect": "no-epoch-bump"}, "--defect no-epoch-bump: only the reference has defects"),
    ],
)
def test_its_usage_errors_are_reported_like_ours(packages: Path, more: tuple[str, ...], options: dict[str, str], reported: str) -> None:
    """In its own words where it has some."""
    install(packages)

    with pytest.raises(WrongUsage) as error:
        registry.build("tiny", SpecifiedSystem(given(options, more)))

    assert str(error.value) == reported


def test_what_it_does_not_have_is_reported_with_what_it_has(packages: Path) -> None:
    """Profiles, proposals, and its own name."""
    install(packages)
    at = {"address": "a:1"}

    with pytest.raises(WrongUsage, match=r"unknown profile 'kafka-4\.3'; known: seed"):
        registry.build("tiny", SpecifiedSystem(at, profile="kafka-4.3"))
    with pytest.raises(WrongUsage, match="--spec pip31 is about pulsar, and tiny speaks kafka"):
        RunOptions("tiny", SpecifiedSystem(at), Selection(("pip31",))).about_system(register.bundled())
    with pytest.raises(WrongUsage, match=r"unknown system 'tniy'; did you mean tiny\?"):
        registry.find("tniy")


WHOLE = "all members of {0} in contract/{1}.py"
BROKEN = {
    "cannot be imported": (
        "import no_such_module_of_theirs",
        "the system 'tiny' of tiny-broker 7.5.1 (fencepost.systems: tiny_system:registration) cannot be imported: "
        "No module named 'no_such_module_of_theirs' (packages/tiny_system.py, line 1); expected an object or a module with all members of",
    ),
    "raises while it is imported": ("raise KeyError('theirs')", "of tiny-broker 7.5.1 (fencepost.systems: tiny_system:registration)"),
    "has no such object": ("", "cannot be imported: module 'tiny_system' has no attribute 'registration'"),
    "is half a registration": (
        SYSTEM.replace("def systems", "def system").replace("def profiles", "def profile"),
        "of tiny-broker 7.5.1 (fencepost.systems: tiny_system:registration) has no profiles(), systems(); expected "
        + WHOLE.format("Registration", "registration"),
    ),
    "is a class": (SYSTEM.replace("= TinySystem()", "= TinySystem"), "is a class; expected an object with the members of Registration"),
    "has no mapping of options": (SYSTEM + "\n\nTinySystem.options = ['address']\n", "has options of list; expected a mapping"),
    "builds half a system": (
        SYSTEM + "\n\nclass Tiny:\n    name = 'tiny'\n    prepare = __init__ = lambda *_, **given: None\n",
        "what 'tiny' builds for kafka has no open(), session(), close(); expected " + WHOLE.format("System", "ports"),
    ),
    "speaks an unknown protocol": (
        SYSTEM.replace('{"kafka": Tiny', '{"kafak": Tiny'),
        "for the protocol 'kafak'; expected one of kafka, pulsar",
    ),
    "has half a handshake": (
        SYSTEM + "\n\nTiny.open = lambda *_: '7.5.1'\n",
        "what 'tiny' says when it is opened has no version, version_is_exact, profile",
    ),
    "offers what there is not": (
        SYSTEM.replace('version="7.5.1", judged', 'version="7.5.1", capabilities=frozenset({"crsh"}), judged'),
        "'tiny' offers crsh; expected names of contract/capabilities.py: crash, ",
    ),
    "has half a session": (
        SYSTEM + "\n\nclass Half:\n    faults = time = wire = 1\n\n    def close(self): ...\n\n\nTiny.session = lambda *_: Half()\n",
        "a session with 'tiny' has no client(), transactional_log(), exchanges(), history(), unique(); expected "
        + WHOLE.format("Session", "ports"),
    ),
    "has half of the faults": (
        SYSTEM + "\n\nsession = Tiny.session\n\n\ndef halved(*given):\n    made = session(*given)\n    made.faults = made.time\n"
        "    return made\n\n\nTiny.session = halved\n",
        "what a session with 'tiny' has as its faults has no crash(), stop(), start_again(), restart()",
    ),
}


def open_tiny() -> None:
    """What a run does before its first scenario."""
    for system in registry.build("tiny", SpecifiedSystem({"address": "a:1"})).values():
        registry.check_opened("tiny", system, system.open())


@pytest.mark.parametrize(("module", "reported"), BROKEN.values(), ids=BROKEN.keys())
def test_half_of_a_port_is_reported_with_what_is_missing(packages: Path, module: str, reported: str) -> None:
    """Whose it is, what it lacks, what is expected; from every place where a part of the port shows first."""
    install(packages, module)

    with pytest.raises(WrongUsage) as error:
        open_tiny()

    assert reported in str(error.value)


@pytest.mark.parametrize("command", ["run", "doctor"])
@pytest.mark.parametrize("case", ["cannot be imported", "has half a session"])
def test_it_ends_with_exit_code_2(packages: Path, tmp_path: Path, command: str, case: str) -> None:
    """Where it is found at once, and where a system was opened for it."""
    module, reported = BROKEN[case]
    install(packages, module)

    finished = fencepost(command, "tiny", *AT, expect=2, cwd=tmp_path)

    assert reported in finished.out + finished.err
    assert "Traceback" not in finished.out + finished.err


def test_a_broken_package_harms_no_user_who_names_another_system(packages: Path, tmp_path: Path) -> None:
    """It is not even imported in a run, and the doctor has a note of it."""
    install(packages, f"open({str(tmp_path / 'imported')!r}, 'w')\nraise KeyError('theirs')")

    fencepost("run", *ONE, "--results", tmp_path / "results", expect=0)

    assert not (tmp_path / "imported").exists()
    assert "note: the system 'tiny' of tiny-broker 7.5.1" in fencepost("doctor", expect=0).out
    assert (tmp_path / "imported").exists()


def test_a_name_of_ours_is_not_theirs_to_take(packages: Path) -> None:
    """The name kafka means our system; the doctor reports why the other is not found."""
    install(packages, entry="kafka = tiny_system:registration")

    assert "bootstrap" in registry.find("kafka").options
    assert [reported for reported in registry.broken() if reported.startswith("the system 'kafka' of tiny-broker 7.5.1")]


def test_two_packages_with_one_name_are_distinguished(packages: Path) -> None:
    """Which of them would be judged must not depend on the order of folders."""
    install(packages)
    install(packages, name="other-broker")

    with pytest.raises(WrongUsage, match=r"'tiny' is registered more than once: .*-broker 7\.5\.1.*-broker 7\.5\.1"):
        registry.find("tiny")
