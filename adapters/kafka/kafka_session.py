"""One scenario's view of a Kafka system: its clients, its names, its faults, and all its exchanges."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import answer_within_s
from fencepost.adapters.common.session import ProtocolSession
from fencepost.adapters.common.wire_faults import OrderedFaults
from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Exchange, Faults, PassesTime, Time, WireFaults

from .client_kind import ClientKind
from .cluster import Cluster
from .kafka_core import KafkaLog
from .kafka_history import events
from .kafka_recording import KafkaRecorder
from .kafka_values import NearLastEpoch
from .kept_exchanges import kept
from .kept_session import Head
from .offer import TOPIC_IDS_FROM, KafkaOffer
from .probe import KafkaProbe, TakeFromPool, no_pool
from .transport import Connect, ConnectAs, KafkaTransport, Wire, without_login


class KafkaSession(ProtocolSession[KafkaProbe]):
    """A session with the cluster of that bootstrap node."""

    def __init__(
        self,
        bootstrap: Address,
        connect: Connect,
        offer: KafkaOffer,
        time: Time,
        faults: Faults,
        suffix: str,
        *,
        connect_as: ConnectAs = without_login,
        take_from_pool: TakeFromPool = no_pool,
        wire: Wire | None = None,
    ) -> None:
        super().__init__(time, faults, suffix)
        self._bootstrap = bootstrap
        self._connect = connect if wire is None else wire.connect
        self._connect_as = connect_as
        self._wire = wire
        self._offer = offer
        self._pool = take_from_pool
        self._taken: list[NearLastEpoch] = []
        self._begins_with = offer
        self.has_unknown_rights = False
        """Whether the broker may have an authorizer that fencepost did not set up."""

        self._recorder = KafkaRecorder(time.now_ms)
        if wire is not None:
            self.on_close(wire.close)

    def new_client(self, name: str) -> KafkaProbe:
        cluster = Cluster(name, self._bootstrap, self._connect, self._recorder, self._offer, answer_within_s(self.time), self._connect_as)
        return KafkaProbe(cluster, self._offer, self.time, self._take_from_pool)

    def between(self, wrap: Callable[[str, KafkaTransport], KafkaTransport]) -> None:
        """Wrap the transports of clients that have sent nothing yet with `wrap`."""
        connect, connect_as = self._connect, self._connect_as

        def wrapped(inner: Connect) -> Connect:
            return lambda client, address: wrap(client, inner(client, address))

        self._connect, self._connect_as = wrapped(connect), lambda user: wrapped(connect_as(user))

    def speak_at_most(self, api: str, version: int) -> None:
        """Let clients that have sent nothing yet use no later version of that API, if the system offers that one."""
        if api in self._offer.apis and self._offer.apis[api].lowest <= version < self._offer.apis[api].highest:
            self._offer = self._offer.up_to(api, version)

    def name_topics_by_id(self, by_id: Callable[[], bool]) -> None:
        """Let clients that have sent nothing yet name topics by id in Fetch, while `by_id` is so. Raises NotOffered."""
        self._offer.check("fetch", TOPIC_IDS_FROM)
        self._offer = replace(self._offer, by_id=by_id)

    def transactional_log(self) -> KafkaLog:
        return KafkaLog(self.client, self.unique, self.faults, ClientKind.fitting(self._offer))

    @property
    def wire(self) -> WireFaults:
        """Faults between this session's clients and the nodes."""
        if self._wire is None:
            raise NotOffered("wire-faults: this scenario does not say @needs:wire-faults, so its clients are connected directly")
        return OrderedFaults(self._wire.orders)

    def exchanges(self) -> Sequence[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return list(events(self._recorder.calls, run_id))

    def kept_exchanges(self) -> list[dict[str, Any]]:
        head = Head(
            self._suffix,
            self._bootstrap,
            self._begins_with,
            is_virtual=isinstance(self.time, PassesTime),
            patience_s=self.time.patience_s,
            has_wire=self._wire is not None,
            looks=tuple(self._recorder.looks),
            taken=tuple(self._taken),
        )
        return kept(self._recorder.calls, head)

    def _take_from_pool(self) -> Outcome[NearLastEpoch]:
        taken = self._pool()
        if isinstance(taken, Done):
            self._taken.append(taken.value)
        return taken
