"""A launcher file defines how a broker is started: an error in it is one line, with the place, before any process starts."""

import sys
from pathlib import Path

import pytest

from fencepost.adapters.common.launcher import Launcher, LauncherFile, read, signal_of
from fencepost.contract.errors import WrongUsage

TRUE = f"start: {sys.executable} broker.py"


def file(folder: Path, *lines: str) -> LauncherFile:
    path = folder / "broker.yaml"
    path.write_text("\n".join(["name: a broker", *lines, ""]), encoding="utf-8")
    return read(str(path))


def test_a_process_in_the_foreground_needs_one_command(tmp_path: Path) -> None:
    """It is killed, stopped and paused by signals, has one node and keeps its data."""
    launcher = file(tmp_path, TRUE).launcher

    signals = [signal_of(text) for text in (launcher.kill, launcher.stop, launcher.pause, launcher.resume)]
    assert [one and one.name for one in signals] == ["SIGKILL", "SIGTERM", "SIGSTOP", "SIGCONT"]
    assert (launcher.nodes, launcher.nodes_at_most, launcher.keeps_data, launcher.can_pause) == (1, 1, True, True)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["begin: x"], r"broker.yaml:\d: begin: this key is not known here; is it misspelt\?"),
        ([], r"broker.yaml:\d: start: this key is missing"),
        (["start: 'broker"], r"broker.yaml:\d: not YAML"),
        (["start: broker 'x"], r"broker.yaml:2: start: no closing quotation; expected a program and its arguments"),
        (["start: ''"], r"broker.yaml:2: start: is empty; expected a program"),
        (["start: broker {prot}"], r"broker.yaml:2: start: \{prot\} is no value of a run; did you mean port\?"),
        ([TRUE, "stop: SIGSTOPP"], r"broker.yaml:3: stop: there is no signal SIGSTOPP; expected one such as SIGTERM"),
        ([TRUE, "runs: somewhere"], r"broker.yaml:3: runs: expected 'foreground' or 'background', given: 'somewhere'"),
        ([TRUE, "runs: background"], r"runs in the background, so it needs a command `end`"),
        ([TRUE, "runs: background", "end: 'true'"], r"SIGKILL reaches no process: `kill` needs a command"),
        ([TRUE, "end: 'true'"], r"`end` is for a broker that runs in the background"),
        ([TRUE, "restarts: by-itself"], r"restarts by-itself, and SIGKILL would end what restarts it too: `kill` needs a command"),
        ([TRUE, "pause: cannot"], r"`pause` and `resume` belong together: give both, or write cannot for both"),
        ([TRUE, "nodes: 3", "most-nodes: 2"], r"most-nodes is 2, and a broker has 3 nodes always"),
        ([TRUE, "nodes: 0"], r"broker.yaml:3: nodes: .*greater than or equal to 1, given: 0"),
        ([TRUE, "settings: {passed-as: arguments}"], r"broker.yaml:3: settings: settings that are arguments need a `word`"),
        ([TRUE, "settings: {passed-as: property-file, word: x}"], r"`word` is for arguments and environment"),
        ([TRUE, "settings: {passed-as: arguments, word: '{value} {x}'}"], r"\{x\} is no part of a setting"),
        (["start: no-such-broker --port {port}"], r"broker.yaml:2: start: there is no program 'no-such-broker' to run: expected"),
        (["start: ${BROKER}"], r"broker.yaml:2: \$\{BROKER\} is not among the `needs` of this file"),
        (
            ["needs: {NO_SUCH_VARIABLE: the broker}", TRUE],
            r"broker.yaml:2: the environment variable NO_SUCH_VARIABLE is not set: expected the b",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path: Path, lines: list[str], words: str) -> None:
    """And with the correct form."""
    with pytest.raises(WrongUsage, match=words) as raised:
        file(tmp_path, *lines)

    assert str(raised.value).startswith("--launcher")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_reported() -> None:
    """With the page that describes launcher files."""
    with pytest.raises(WrongUsage, match=r"^--launcher no.yaml: there is no such file; expected a launcher file, as docs/launchers.md"):
        read("no.yaml")


def test_a_command_is_filled_in_word_by_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blank in a value makes no second word; settings are separate words, or none."""
    monkeypatch.setenv("BROKER", sys.executable)
    found = file(tmp_path, "needs: {BROKER: a program}", "start: ${BROKER} --port={port} '{data}/$HOME' {settings} end")

    words = found.words("start", {"port": "1", "data": "a folder"}, ["--set", "a=b c"])

    assert words == (sys.executable, "--port=1", "a folder/$HOME", "--set", "a=b c", "end")
    assert found.words("start", {"port": "1", "data": "d"})[-2:] == ("d/$HOME", "end")


def test_every_key_of_a_launcher_is_described() -> None:
    """In the page about launchers."""
    page = (Path(__file__).parents[2] / "docs" / "launchers.md").read_text(encoding="utf-8")
    settings = Launcher.model_fields["settings"].default_factory
    assert settings is not None
    keys = [field.alias or name for model in (Launcher, type(settings())) for name, field in model.model_fields.items()]  # type: ignore[call-arg]

    assert [key for key in keys if f"`{key}`" not in page] == []


def test_every_example_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher files that fencepost ships."""
    monkeypatch.setenv("KAFKA_HOME", "/opt/kafka")
    monkeypatch.setenv("KFAKE", sys.executable)
    monkeypatch.setattr("shutil.which", lambda program, **_: program)
    folder = Path(__file__).parents[2] / "examples" / "launchers"

    names = [read(str(path)).launcher.name for path in sorted(folder.glob("*.yaml")) if not path.name.startswith("log4j2")]

    assert len(names) == 4
