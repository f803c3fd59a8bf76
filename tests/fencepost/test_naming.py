"""What can be named: listed for people and programs, and completed by a shell without importing anything heavy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import fencepost

from fencepost import __version__
from fencepost.adapters import registry
from fencepost.catalogue import name_lists
from fencepost.cli import completion
from fencepost.contract import register
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import UnknownName
from fencepost.contract.themes import THEMES
from fencepost.reference.defects import CONFORMING, DEFECTS


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("systems", registry.names()),
        ("profiles", ["kafka-4.0", "kafka-4.1", "kafka-4.2", "kafka-4.3", "kafka-4.4", "kip98", "pulsar-4.0", "pulsar-5.0", "seed"]),
        ("defects", [*DEFECTS, *CONFORMING]),
        ("capabilities", list(CAPABILITIES)),
        ("themes", list(THEMES)),
    ],
)
def test_all_that_can_be_named_is_listed(kind: str, names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each once, with a line on what it is; as a table too."""
    name_lists.show(kind, "json")
    rows = json.loads(capsys.readouterr().out)
    name_lists.show(kind, "table")
    table = capsys.readouterr().out

    assert [row["name"] for row in rows] == names
    assert all(row["what"] for row in rows)
    assert all(name in table for name in names)


def test_a_list_has_no_other_format() -> None:
    """Markdown is for requirements."""
    with pytest.raises(UnknownName, match=r"unknown format 'markdown'; known: table, json"):
        name_lists.show("systems", "markdown")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("--systems", "--defects"), "--systems and --defects exclude each other: each shows a separate table"),
        (("--spec", "kip890", "--profiles"), "--spec kip890 is about requirements, and --profiles shows none"),
        (("--theme", "sealing", "--themes"), "--theme sealing is about requirements, and --themes shows none"),
        (("--find", "zombie", "--defects"), "--find zombie is about requirements, and --defects shows none"),
    ],
)
def test_one_list_at_a_time(arguments: tuple[str, ...], reported: str) -> None:
    """Two tables would be none that a program can read."""
    assert fencepost("list", *arguments, expect=2).err == f"fencepost: {reported}\n"


def test_a_requirement_is_found_by_words_of_it() -> None:
    """All of them, in any case and order: of its statement, its reason, its section or its scenarios."""
    found = json.loads(fencepost("list", "--find", "EPOCH zombie", "--format", "json", expect=0).out)

    assert "KIP890-024" in [row["id"] for row in found]
    assert all("zombie" in json.dumps(row).casefold() and "epoch" in json.dumps(row).casefold() for row in found)


def test_the_version_is_reported_by_the_command_and_by_the_module() -> None:
    """`fencepost --version` and `python -m fencepost --version`."""
    module = subprocess.run([sys.executable, "-m", "fencepost", "--version"], capture_output=True, text=True, check=True)

    assert fencepost("--version", expect=0).out == module.stdout == f"fencepost {__version__}\n"


def test_every_name_is_completed() -> None:
    """Those that there are, and no others."""
    assert completion.complete_requirement("") == sorted(row.id for row in register.bundled().rows())
    assert completion.complete_defect("") == sorted(DEFECTS | CONFORMING)
    assert completion.complete_profile("") == sorted(row["name"] for row in name_lists.profiles())
    assert completion.complete_proposal("") == sorted(register.bundled().by_spec)
    assert completion.complete_system("") == sorted(registry.names())
    assert completion.complete_level("M") == ["MAY", "MUST"]
    assert completion.complete_requirement("KIP890-06") == [f"KIP890-06{digit}" for digit in range(10)]


def test_a_shell_gets_completions_at_once() -> None:
    """Through typer's own protocol, and without pytest, pydantic or the probes."""
    words = {"COMP_WORDS": "fencepost run --defect no-epoch-bump", "COMP_CWORD": "3", "_FENCEPOST_COMPLETE": "complete_bash"}
    done = subprocess.run([Path(sys.executable).parent / "fencepost"], env=os.environ | words, capture_output=True, text=True, check=False)
    probe = "import sys; import fencepost.cli.completion as c; c.complete_defect(''); c.complete_requirement('')\n"
    probe += "print(sorted({'pytest', 'kio', 'pydantic', 'yaml'} & set(sys.modules)))"

    assert done.stdout.split() == ["no-epoch-bump", "no-epoch-bump-on-abort"]
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout == "[]\n"
