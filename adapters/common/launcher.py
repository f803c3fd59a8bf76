"""A launcher file: how a team's broker is started as a process, and what can be done to it. `docs/launchers.md` is its reference.

Commands are split into words as in a shell, but no shell reads them. In a word `{name}` is a value of the run, such as `{port}`, and
`${NAME}` a variable of the environment, which the file explains under `needs`.
"""

import os
import re
import shlex
import shutil
import signal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.errors import WrongUsage, hint

CANNOT = "cannot"
COMMANDS = ("prepare", "start", "stop", "kill", "pause", "resume", "end")

VALUES = {
    "port": "the port of 127.0.0.1 at which clients reach the node",
    "internal_port": "a second free port, for the other nodes",
    "controller_port": "a third one, for its controller",
    "first": "HOST:PORT of node 1 as clients reach it",
    "first_internal": "HOST:PORT of node 1 as other nodes reach it",
    "node": "the number of the node, from 1 on",
    "nodes": "how many nodes the broker has",
    "data": "the node's own folder for its data, new in every run, and kept while it is down",
    "properties": "the file with the settings, where they are passed in one",
    "settings": "the settings as separate words, where they are arguments",
    "configuration": "the name of the broker configuration of fixtures/brokers.yaml",
    "cluster": "a name that is new for each broker: 22 letters and digits, as Kafka has them for clusters",
    "here": "the folder of the launcher file",
}
"""The names that may be in braces in a command."""

_VALUE = re.compile(r"(?<!\$)\{([a-z_]+)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_OF_ONE_SETTING = ("name", "value", "NAME")


class Passing(Row):
    """How the settings of a broker configuration reach the broker, by Kafka's names for them."""

    how: Literal["property-file", "arguments", "environment", "cannot"] = Field(alias="passed-as")
    word: str = ""
    """For one setting: `--set {name}={value}`, or `ACME_{NAME}` for a variable; `{NAME}` is the name in capitals, with underscores."""
    names: dict[str, str] | list[str] | None = None
    """The settings that the broker understands, if need be with its own names for them; by default all."""
    has: dict[str, str] = Field(default_factory=dict)
    """Settings that the broker has by default, by Kafka's names."""
    always: dict[str, str] = Field(default_factory=dict)
    """Settings that the launcher adds, by the broker's own names."""

    @model_validator(mode="after")
    def _is_whole(self) -> "Passing":
        needed = {"arguments": "--set {name}={value}", "environment": "ACME_{NAME}"}.get(self.how)
        if needed and not self.word:
            raise ValueError(f"settings that are {self.how} need a `word` for one of them, such as {needed}")
        if not needed and self.word:
            raise ValueError(f"`word` is for arguments and environment, and settings are passed as {self.how}")
        if unknown := [name for name in _VALUE.findall(self.word) if name not in _OF_ONE_SETTING]:
            raise ValueError(f"{{{unknown[0]}}} is no part of a setting; expected {{name}}, {{value}} or {{NAME}}")
        return self

    def name_of(self, setting: str) -> str | None:
        """The broker's own name for a setting; None if it does not understand it."""
        if self.how == CANNOT:
            return None
        match self.names:
            case None:
                return setting
            case dict(names):
                return names.get(setting)
            case names:
                return setting if setting in names else None


class Launcher(Row):
    """How one kind of broker is started. The defaults are those for a process in the foreground."""

    name: str
    needs: dict[str, str] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    prepare: str | None = None
    start: str
    stop: str = "SIGTERM"
    kill: str = "SIGKILL"
    pause: str = "SIGSTOP"
    resume: str = "SIGCONT"
    end: str | None = None
    runs: Literal["foreground", "background"] = "foreground"
    restarts: Literal["by-command", "by-itself"] = "by-command"
    data: Literal["kept", "none"] = "kept"
    nodes: Annotated[int, Field(ge=1, le=3)] = 1
    most_nodes: Annotated[int, Field(ge=1, le=3)] | None = Field(default=None, alias="most-nodes")
    settings: Passing = Field(default_factory=lambda: Passing.model_validate({"passed-as": CANNOT}))

    @field_validator("prepare", "start", "stop", "kill", "pause", "resume", "end")
    @classmethod
    def _is_a_command(cls, text: str | None) -> str | None:
        if text is None:
            return None
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ValueError(f"{str(error).lower()}; expected a program and its arguments, as in a shell's line") from error
        if not words:
            raise ValueError("is empty; expected a program and its arguments")
        if re.fullmatch("SIG[A-Z0-9]+", text) and signal_of(text) is None:
            raise ValueError(f"there is no signal {text}; expected one such as SIGTERM, a command, or the word {CANNOT}")
        check_values([text])
        return text

    @field_validator("environment")
    @classmethod
    def _has_known_values(cls, environment: dict[str, str]) -> dict[str, str]:
        check_values(environment.values())
        return environment

    @model_validator(mode="after")
    def _fits_together(self) -> "Launcher":
        if self.most_nodes is not None and self.most_nodes < self.nodes:
            raise ValueError(f"most-nodes is {self.most_nodes}, and a broker has {self.nodes} nodes always: expected at least as many")
        if self.restarts == "by-itself":
            for line, value in (("kill", self.kill), ("stop", self.stop)):
                if signal_of(value) is not None:
                    raise ValueError(f"restarts by-itself, and {value} would end what restarts it too: `{line}` needs a command, or cannot")
        if self.runs == "background":
            if self.end is None:
                raise ValueError("runs in the background, so it needs a command `end`, which stops and removes it when the run is over")
            for line, value in (("kill", self.kill), ("stop", self.stop), ("pause", self.pause), ("resume", self.resume)):
                if signal_of(value) is not None:
                    raise ValueError(
                        f"runs in the background, where {value} reaches no process: `{line}` needs a command, or the word {CANNOT}"
                    )
        elif self.end is not None:
            raise ValueError("`end` is for a broker that runs in the background; one in the foreground ends with the run by itself")
        if (self.pause == CANNOT) != (self.resume == CANNOT):
            raise ValueError("`pause` and `resume` belong together: give both, or write cannot for both")
        return self

    @property
    def can_pause(self) -> bool:
        """Whether a node can be paused."""
        return self.pause != CANNOT

    @property
    def keeps_data(self) -> bool:
        """Whether data is kept over a restart."""
        return self.data == "kept"

    @property
    def nodes_at_most(self) -> int:
        """The largest number of nodes that it can start for one broker."""
        return self.most_nodes or self.nodes


@dataclass(frozen=True)
class LauncherFile:
    """A launcher with its file, by the name that the user gave."""

    path: Path
    launcher: Launcher
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def reported(self) -> str:
        """The file, as text for users."""
        return str(self.path)

    def place(self, line: str) -> str:
        """The place of a line of the file, as text for users."""
        return f"{self.path}:{line_of(self.path, line)}" if line in self.launcher.model_fields_set else f"{self.path}"

    def words(self, line: str, values: Mapping[str, str], settings: Iterable[str] = ()) -> tuple[str, ...]:
        """The words of the command in that line. The word `{settings}` is replaced by one word for each setting."""
        text = getattr(self.launcher, line)
        return tuple(self._filled(shlex.split(text), values, settings))

    def filled_in(self, text: str, values: Mapping[str, str]) -> str:
        """A text with variables and values filled in."""
        text = _VARIABLE.sub(lambda found: self.variables[found[1]], text)
        return _VALUE.sub(lambda found: values.get(found[1], found[0]), text)

    def _filled(self, words: Iterable[str], values: Mapping[str, str], settings: Iterable[str]) -> Iterator[str]:
        for word in words:
            if word == "{settings}":
                yield from settings
            else:
                yield self.filled_in(word, values)


def read(text: str) -> LauncherFile:
    """The launcher in the file of that name. Raises WrongUsage if it is invalid, or a variable that it needs is not set."""
    path = Path(text)
    if not path.is_file():
        raise WrongUsage(f"--launcher {text}: there is no such file; expected a launcher file, as docs/launchers.md describes it")
    try:
        launcher = load(path, Launcher)
    except DataFileError as error:
        raise WrongUsage(f"--launcher: {error}; docs/launchers.md has all keys") from error
    file = LauncherFile(path, launcher, _variables(path, launcher))
    _check_programs(file)
    return file


def signal_of(text: str) -> signal.Signals | None:
    """The signal that a line names; None for a command."""
    return signal.Signals.__members__.get(text)


def check_values(texts: Iterable[str]) -> None:
    """Raises ValueError for a name in braces that is no value of a run."""
    for text in texts:
        for name in _VALUE.findall(text):
            if name not in VALUES:
                raise ValueError(f"{{{name}}} is no value of a run{hint(name, VALUES)}")


def _texts(launcher: Launcher) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text of the file that may have a variable, with its place."""
    for line in COMMANDS:
        if text := getattr(launcher, line):
            yield (line,), text
    for name, text in launcher.environment.items():
        yield ("environment", name), text
    for name, text in launcher.settings.always.items():
        yield ("settings", "always", name), text


def _variables(path: Path, launcher: Launcher) -> dict[str, str]:
    """The variables that the file needs. Raises WrongUsage for one that is not set."""
    found = {}
    for name, what in launcher.needs.items():
        if not os.environ.get(name):
            raise WrongUsage(
                f"--launcher: {path}:{line_of(path, 'needs', name)}: the environment variable {name} is not set: expected {what}. "
                f"Set {name}=... before the command"
            )
        found[name] = os.environ[name]
    for place, text in _texts(launcher):
        for name in _VARIABLE.findall(text):
            if name not in found:
                raise WrongUsage(
                    f"--launcher: {path}:{line_of(path, *place)}: ${{{name}}} is not among the `needs` of this file; "
                    f"expected a line there that says what {name} has to be"
                )
    return found


def _check_programs(file: LauncherFile) -> None:
    """Raises WrongUsage for a command whose program does not exist; one in the data folder may be made later."""
    values = {"here": str(file.path.resolve().parent)}
    for line in COMMANDS:
        text: str | None = getattr(file.launcher, line)
        if text is None or text == CANNOT or signal_of(text) is not None:
            continue
        program = file.words(line, values)[0]
        if "{" not in program and shutil.which(program, path=os.environ.get("PATH")) is None:
            raise WrongUsage(
                f"--launcher: {file.place(line)}: {line}: there is no program {program!r} to run: expected one that is found by PATH, a "
                "whole path, or {here}/... next to the file; for a line of a shell use sh -c '...'"
            )
