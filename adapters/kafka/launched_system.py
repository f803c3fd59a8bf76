"""Kafka, or a system with its protocol, in processes that a launcher file starts: a broker for each configuration that it can start.

Each run has a separate folder for data, settings and logs. It is removed at the end, or by the keepers if the run is killed.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fencepost.adapters.common import genuine, run_folder
from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.launcher import LauncherFile
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.brokers import Brokers, ScheduledScenario
from fencepost.contract.trials import TriedLine

from .kafka_container_system import KafkaContainerSystem
from .kafka_settings import kafka_settings
from .launched_broker import LaunchedKafka
from .launched_settings import launched
from .launcher_trial import tried
from .offer import VersionRange
from .release import reported_by


class LaunchedKafkaSystem(KafkaContainerSystem):
    """Brokers that a launcher file starts."""

    kind = "process"
    version = None

    def __init__(self, file: LauncherFile, patience_s: float = PATIENCE_S) -> None:
        had = launched(file)
        super().__init__(file.reported, patience_s, had.settings)
        self._had = had
        self._reported = f"the broker that {file.reported} starts"
        self._file = file
        self._folder: Path | None = None
        self._numbers = itertools.count(1)

    def image(self) -> None:
        """A process has no image."""
        return

    def tried(self) -> Iterator[TriedLine]:
        """Try each line of the file; no process is left running."""
        return tried(self._file, self._had, self._patience_s, self._own_folder())

    def _own_folder(self) -> Path:
        self._folder = self._folder or run_folder.make()
        return self._folder

    def make(self, configuration: str, to_come: int, why: str) -> LaunchedKafka:
        """A broker with a separate folder."""
        own, starting = self._own_folder() / f"{configuration}-{next(self._numbers)}", Starting(self._board, why)
        return LaunchedKafka(
            self._file, self._had.settings, configuration, self._patience_s, own, self.producers(configuration, to_come), starting
        )

    def whose(self, supported: VersionRange | None) -> genuine.Whose:
        """No known deviations hold: a launcher file may start any broker."""
        settings = kafka_settings()
        return genuine.of_stranger(settings.project_of(self.name), self._reported, reported_by(supported, settings.releases))

    def missing(self) -> list[str]:
        return [f"{name}: {why}" for name, why in sorted(self._had.missing.items())]

    def brokers(self, scenarios: Sequence[ScheduledScenario]) -> Brokers:
        return replace(super().brokers(scenarios), unit=self.kind)

    def close(self) -> None:
        """End all processes, and remove the run's folder."""
        super().close()
        if self._folder is not None:
            run_folder.remove(self._folder)
