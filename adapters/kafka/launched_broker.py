"""One Kafka broker, or a cluster, whose nodes are processes that a launcher starts."""

from collections.abc import Callable
from pathlib import Path

from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.launcher import LauncherFile
from fencepost.adapters.common.process_node import ProcessNode
from fencepost.contract.errors import SystemUnreachable

from .kafka_container_broker import KafkaBroker
from .kafka_settings import KafkaSettings
from .nodes import KafkaNodes
from .process_nodes import make_nodes

_LOG_PARTITIONS = "transaction.state.log.num.partitions"
"""The setting that a broker must accept so that its whole transaction log is in one partition."""


class LaunchedKafka(KafkaBroker):
    """A broker that a launcher starts, with its data, settings and logs in `folder`."""

    def __init__(
        self,
        file: LauncherFile,
        settings: KafkaSettings,
        configuration: str,
        patience_s: float,
        folder: Path,
        producers: int = 0,
        starting: Starting | None = None,
    ) -> None:
        super().__init__(file.reported, configuration, patience_s, producers, starting)
        self._file, self._settings, self._folder = file, settings, folder
        self.reported = f"the broker that {file.reported} starts, configuration {configuration}"
        self.writes_ids = file.launcher.keeps_data and file.launcher.settings.name_of(_LOG_PARTITIONS) is not None
        self._nodes: KafkaNodes | None = None

    @property
    def in_doubt(self) -> str:  # type: ignore[override]  # for an image it is a text
        """How its process ended, if it did."""
        nodes = self._nodes.all if self._nodes else ()
        ended = [how for node in nodes if isinstance(node, ProcessNode) and (how := node.end_reported())]
        return "; ".join(ended) or "expected a broker that listens at {port} of 127.0.0.1"

    def start_containers(self, waits_for: Callable[[str], None]) -> KafkaNodes:
        waits_for("its process to start")
        passwords = self._users.passwords
        nodes = self._nodes = make_nodes(self._file, self._settings, self.configuration, passwords, self._folder, self._folder.parent)
        try:
            nodes.start()
        except SystemUnreachable as error:
            nodes.stop()
            raise SystemUnreachable(self.shown(str(error))) from None
        except BaseException:
            nodes.stop()
            raise
        return nodes
