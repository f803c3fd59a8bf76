"""The transaction keys of the coordinators on one node, and what its participants refuse."""

from collections.abc import Mapping, Sequence

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.coordinator import TransactionCoordinator
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .claims import Claim, KeyConnection, KeyedRequest, expired
from .coordinator_keys import NEW, TransactionKeys
from .key import TransactionKey, key_of
from .key_topic import KeyTopics


class NodeKeys:
    """The keys of one life of a node."""

    def __init__(self, machine: Machine, topics: KeyTopics, transaction_keys: type[TransactionKeys], reconnect: str) -> None:
        self._machine = machine
        self._topics = topics
        self._transaction_keys = transaction_keys
        self._reconnect = reconnect
        self._keys: dict[tuple[bool, int], TransactionKeys] = {}

    def start(self, coordinator: TransactionCoordinator, tc_id: int, *, scalable: bool) -> None:
        """Decision: a coordinator is on this node from now on, with its keys."""
        topic = self._topics.of(tc_id, scalable=scalable)
        self._keys[scalable, tc_id] = self._transaction_keys(coordinator, self._machine, topic, self._reconnect)

    def of(self, tc_id: int, *, scalable: bool) -> TransactionKeys:
        """The keys of a coordinator. Raises CommandRefused: TRANSACTION_COORDINATOR_NOT_FOUND when it is not on this node."""
        if (keys := self._keys.get((scalable, tc_id))) is None:
            raise CommandRefused(ServerError.TRANSACTION_COORDINATOR_NOT_FOUND, f"there is no coordinator {tc_id} here; look it up again")
        return keys

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        """Decision: the key that a client connects with; None if it sends none, and is a client as before.

        Raises CommandRefused: NOT_ALLOWED for an invalid one.
        """
        rule("TXKEY-15")
        rule("TXKEY-16")
        rule("TXKEY-18")
        if sent is None:
            rule("TXKEY-30")
            return None
        return key_of(owner, sent)

    def epoch_of(self, sent: int | None) -> int:
        """Decision: the epoch that a client says it was given last; a client without one is new."""
        return NEW if sent is None else sent

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        """Decision: the coordinator of a key: the one that has it, so that it stays there when more are added; otherwise by its hash."""
        known = (tc_id for tc_id in coordinators if self._topics.of(tc_id, scalable=scalable).has(key))
        return next(known, key.coordinator_of(len(coordinators)))

    def refuse_another(self, key: TransactionKey, had: Sequence[TransactionKey]) -> None:
        """Decision: a connection has one key, at whichever coordinators: a connection that took one over would close it for the other.

        Raises CommandRefused: NOT_ALLOWED.
        """
        if another := next((one for one in had if one != key), None):
            rule("TXKEY-15")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"this connection has the transaction key {another}; one connection has one key")

    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        """Decision: the key that a connection's new transaction gets; None if it has none at coordinators of that kind.

        Raises CommandRefused: NOT_ALLOWED at another coordinator than the key's, which could not fence it.
        """
        claim = claims.get((scalable, tc_id))
        if claim is None and any(kind == scalable for kind, _ in claims):
            rule("TXKEY-19")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"the transaction key of this connection does not belong to coordinator {tc_id}")
        return claim

    def asks_of(self, claims: Mapping[tuple[bool, int], Claim]) -> bool:  # noqa: ARG002 - whatever keys it has
        """Decision: on which connections requests in fenced transactions are refused: on each, also if the client has the key now, for a
        fenced task may retry what it was about to send."""
        rule("TXKEY-07")
        rule("TXKEY-10")
        rule("TXKEY-11")
        return True

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        """Decision: a participant refuses requests in a fenced transaction, also a participant that did not know of it.

        Raises CommandRefused: INVALID_TXN_STATUS.
        """
        rule("TXKEY-07")
        rule("TXKEY-08")
        rule("TXKEY-09")
        rule("TXKEY-32")
        rule("TXKEY-34")
        if txn.tc_id in coordinators and self._topics.of(txn.tc_id, scalable=scalable).is_fenced(txn):
            raise expired(f"{doing.value} in transaction {txn}, which a later connection of its key has fenced")

    def forget(self, client: KeyConnection) -> None:
        """Decision: what a connection leaves when it is gone: each of its claims ends."""
        for keys in self._keys.values():
            keys.forget(client)

    def sweep(self) -> None:
        """Decision: the timer's work, each time."""
        for keys in self._keys.values():
            keys.sweep()
