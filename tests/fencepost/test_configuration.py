"""Settings from a file and from the environment: which wins, what is reported, and what is refused."""

import json
from pathlib import Path

import pytest
import typer
from commands import compliance, fencepost

from fencepost.cli.application import app
from fencepost.cli.configuration import ConfiguredCommand, key_of, variable

LIST = '[list]\nspec = ["core"]\nformat = "json"\n'


def listed(out: str) -> set[str]:
    return {row["id"].partition("-")[0] for row in json.loads(out)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fencepost.toml", LIST),
        ("pyproject.toml", f"[project]\nname = 'broker'\n{LIST.replace('[list]', '[tool.fencepost.list]')}"),
        ("fencepost.toml", LIST.replace('["core"]', '"Core"')),
    ],
)
def test_options_are_set_in_a_file_of_the_current_folder(tmp_path: Path, name: str, text: str) -> None:
    """What came from the file is reported on the standard error; the output stays what programs read."""
    (tmp_path / name).write_text(text, encoding="utf-8")

    finished = fencepost("list", expect=0, cwd=tmp_path)

    assert listed(finished.out) == {"CORE"}
    assert finished.err.lower() == f"fencepost: list from {name} [list]: spec core, format json\n"


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Option by option."""
    (tmp_path / "fencepost.toml").write_text(LIST, encoding="utf-8")
    monkeypatch.setenv("FENCEPOST_LIST_SPEC", "pip31 kip890")

    by_environment = fencepost("list", expect=0, cwd=tmp_path)
    by_command_line = fencepost("list", "--spec=KIP890", expect=0, cwd=tmp_path)

    assert listed(by_environment.out) == {"PIP31", "KIP890"}
    assert by_environment.err == "fencepost: list from the environment: spec pip31,kip890; from fencepost.toml [list]: format json\n"
    assert listed(by_command_line.out) == {"KIP890"}
    assert by_command_line.err == "fencepost: list from fencepost.toml [list]: format json\n"


def test_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By --config or FENCEPOST_CONFIG; what is in the folder is then not read."""
    (tmp_path / "fencepost.toml").write_text("[broken", encoding="utf-8")
    (tmp_path / "ci.toml").write_text(LIST, encoding="utf-8")

    assert listed(fencepost("--config", "ci.toml", "list", expect=0, cwd=tmp_path).out) == {"CORE"}
    monkeypatch.setenv("FENCEPOST_CONFIG", "ci.toml")
    assert listed(fencepost("list", expect=0, cwd=tmp_path).out) == {"CORE"}


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ('[run]\nrestart-command = "./kill.sh"\n', "fencepost.toml: run.restart-command names a program"),
        ('[doctor]\nrestart_command = "./kill.sh"\n', "fencepost.toml: doctor.restart_command names a program"),
        ('[run]\nset-system = ["address=a:1", "command=./broker"]\n', "fencepost.toml: run.set-system names a program"),
        ('[run]\nresults = "/tmp/elsewhere"\n', "fencepost.toml: run.results = '/tmp/elsewhere' is outside of this folder"),
        (
            '[run]\nexpectations = ["none", "../known.yaml"]\n',
            "fencepost.toml: run.expectations = '../known.yaml' is outside of this folder",
        ),
        ('[run]\nsummary = "~/../../s.md"\n', "is outside of this folder"),
    ],
)
def test_a_file_that_was_only_found_does_not_reach_out(tmp_path: Path, text: str, reported: str) -> None:
    """A user who looks at another person's checkout runs none of its code, and nothing is written elsewhere."""
    (tmp_path / "fencepost.toml").write_text(text, encoding="utf-8")

    err = fencepost("list", expect=2, cwd=tmp_path).err

    assert reported in err
    assert "or name the file: `fencepost --config fencepost.toml ...`" in err
    fencepost("--config", "fencepost.toml", "list", "--spec", "core", expect=0, cwd=tmp_path)


def test_a_pyproject_of_others_says_nothing(tmp_path: Path) -> None:
    """Nor does a FENCEPOST_ variable that is no option."""
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 99\n", encoding="utf-8")

    assert fencepost("list", expect=0, cwd=tmp_path).err == ""


def test_a_run_is_set_up_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be secret is not shown."""
    text = '[run]\nsystem = "Reference"\nonly = ["core-01"]\nhtml = false\nresults = "r"\nprofile = "kafka-4.0"\nset-system = []\n'
    (tmp_path / "fencepost.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("FENCEPOST_RUN_PATIENCE", "7.5")

    finished = fencepost("run", expect=0, cwd=tmp_path)

    found = compliance(tmp_path / "r")
    assert (found["selection"]["only"], found["system"]["profile"]) == (["CORE-01"], "kafka-4.0")
    assert finished.err.count("\n") == 1
    assert "from the environment: patience 7.5" in finished.err
    assert "set-system (not shown)" in finished.err


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[list]\nspcc = 'core'\n", "fencepost.toml: list.spcc: unknown key; did you mean spec?"),
        ("[lits]\nspec = 'core'\n", "fencepost.toml: lits: expected a table with the name of a command; did you mean list?"),
        ("list = 'core'\n", "fencepost.toml: list = 'core': expected a table such as [list]"),
        ("[list]\nspec = 890\n", "fencepost.toml: list.spec = 890: expected a text or a list of texts"),
        ("[list]\nspec = [890]\n", "fencepost.toml: list.spec = [890]: expected a text or a list of texts"),
        ("[list]\nformat = true\n", "fencepost.toml: list.format = True: expected a text"),
        ("[run]\nhtml = 'no'\n", "fencepost.toml: run.html = 'no': expected true or false"),
        ("[run]\nworkers = 1.5\n", "fencepost.toml: run.workers = 1.5: expected a whole number"),
        ("[run]\nworkers = true\n", "fencepost.toml: run.workers = True: expected a whole number"),
        ("[run]\npatience = '20'\n", "fencepost.toml: run.patience = '20': expected a number"),
        ("[run]\n\nhtml = maybe\n", "fencepost.toml:3: not TOML: Invalid value"),
        ("[run", "fencepost.toml:1: not TOML: "),
    ],
)
def test_a_fault_of_the_file_is_the_users_to_mend(tmp_path: Path, text: str, reported: str) -> None:
    """Whatever command is called: the file, the key, the value, and what is expected."""
    (tmp_path / "fencepost.toml").write_text(text, encoding="utf-8")

    finished = fencepost("list", expect=2, cwd=tmp_path)

    assert finished.out == ""
    assert finished.err.startswith(f"fencepost: {reported}")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize("value", ["0", "many"])
def test_a_value_that_does_not_fit_is_reported_with_its_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The command line would else be searched in vain."""
    monkeypatch.setenv("FENCEPOST_RUN_WORKERS", value)

    assert f"FENCEPOST_RUN_WORKERS, in the environment: {value}: expected" in fencepost("run", expect=2, cwd=tmp_path).err


def test_a_variable_that_is_no_option_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt variable would leave a run as it was, without notice."""
    monkeypatch.setenv("FENCEPOST_RUN_BOOTSTRP", "127.0.0.1:9092")

    reported = fencepost("list", expect=2, cwd=tmp_path).err

    assert (
        reported
        == "fencepost: FENCEPOST_RUN_BOOTSTRP, in the environment: there is no such option; did you mean FENCEPOST_RUN_BOOTSTRAP?\n"
    )


def test_two_files_are_one_too_many(tmp_path: Path) -> None:
    """Which holds would have to be known by heart."""
    (tmp_path / "fencepost.toml").write_text("", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.fencepost]\n", encoding="utf-8")

    assert "keep one, or name one with --config FILE" in fencepost("list", expect=2, cwd=tmp_path).err


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    """The one that is named, and not the one that might be there."""
    assert "--config nowhere.toml: there is no such file" in fencepost("--config", "nowhere.toml", "list", expect=2, cwd=tmp_path).err


def test_every_option_of_every_command_can_be_set() -> None:
    """Each has its own name, which no other use of ours has. Only `new`, which writes into a checkout, has no settings."""
    group = typer.main.get_command(app)
    commands = group.commands  # type: ignore[attr-defined]
    variables = [variable(name, key_of(option)) for name, command in commands.items() for option in command.params if option.name != "help"]

    assert [name for name, command in commands.items() if not isinstance(command, ConfiguredCommand)] == ["new"]
    assert len(set(variables)) == len(variables) > 50
    assert not {"FENCEPOST_CONFIG", "FENCEPOST_REQUIRE_CONTAINERS", "FENCEPOST_SPENT"} & set(variables)
