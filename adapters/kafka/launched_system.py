"""Kafka, or what speaks its protocol, in processes that a launcher file starts: a broker for each configuration that can be had so.

Each run has a folder of its own for data, settings and logs. It is removed at the end, or by the keepers where the run is killed.
"""

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fencepost.adapters.common import genuine, run_folder
from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.launcher import LauncherFile
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.brokers import Asked, Brokers
from fencepost.contract.trials import Tried

from .container_broker import KafkaBroker
from .container_system import KafkaContainerSystem
from .launched_broker import LaunchedKafka
from .launched_settings import launched
from .launcher_trial import tried
from .offer import Range
from .release import told_by
from .session import KafkaSession
from .settings import kafka_settings

_LOG_BYTES = 200_000
"""How much of a broker's log is kept beside one red, of each node."""


class LaunchedKafkaSystem(KafkaContainerSystem):
    """Brokers that a launcher file starts."""

    kind = "process"
    version = None

    def __init__(self, file: LauncherFile, patience_s: float = PATIENCE_S) -> None:
        had = launched(file)
        super().__init__(file.told, patience_s, had.settings)
        self._had = had
        self._told = f"the broker that {file.told} starts"
        self._file = file
        self._folder: Path | None = None
        self._numbers = itertools.count(1)

    def image(self) -> None:
        """There is none."""
        return

    def tried(self) -> Iterator[Tried]:
        """Try each line of the file; nothing is left running."""
        return tried(self._file, self._had, self._patience_s, self._own_folder())

    def _own_folder(self) -> Path:
        self._folder = self._folder or run_folder.make()
        return self._folder

    def make(self, configuration: str, to_come: int, why: str) -> LaunchedKafka:
        """A broker with a folder of its own."""
        own, starting = self._own_folder() / f"{configuration}-{next(self._numbers)}", Starting(self._board, why)
        return LaunchedKafka(
            self._file, self._had.settings, configuration, self._patience_s, own, self.producers(configuration, to_come), starting
        )

    def whose(self, supported: Range | None) -> genuine.Whose:
        """Nobody's: what a file starts may be anybody's broker."""
        settings = kafka_settings()
        return genuine.of_stranger(settings.project_of(self.name), self._told, told_by(supported, settings.releases))

    def missing(self) -> list[str]:
        return [f"{name}: {why}" for name, why in sorted(self._had.missing.items())]

    def brokers(self, scenarios: Sequence[Asked]) -> Brokers:
        return replace(super().brokers(scenarios), unit=self.kind)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:
        """A fresh session on the broker for these needs, which can say what its broker wrote meanwhile."""
        return self._session_on(title, needs, lambda broker: _with_log(broker, broker.session(needs)))

    def close(self) -> None:
        """End all processes, and remove their folder."""
        super().close()
        if self._folder is not None:
            run_folder.remove(self._folder)


def _with_log(broker: KafkaBroker, session: KafkaSession) -> KafkaSession:
    if isinstance(broker, LaunchedKafka):
        began, ended = broker.log_sizes(), dict[Path, int]()
        session.on_close(lambda: ended.update(broker.log_sizes()))
        session.broker_log = lambda: broker.shown(_written(began, ended or broker.log_sizes()))
    return session


def _written(began: Mapping[Path, int], ended: Mapping[Path, int]) -> str:
    """What the nodes wrote between, the end of it where it is much."""
    parts = []
    for path, end in ended.items():
        start = max(began.get(path, 0), end - _LOG_BYTES)
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(start)
            parts.append(f"--- {path.parent.name}\n{file.read(end - start).decode(errors='replace')}\n")
    return "".join(parts)
