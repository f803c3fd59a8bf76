"""Defects of the transaction key in connects: which epoch is accepted and given, and what becomes of the connection before."""

import functools
from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import expected, seen
from fencepost.reference.pulsar.api.peer import Peer
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection
from fencepost.reference.pulsar.transaction_key.coordinator_keys import NEW, TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import SlowerNetwork, pair

_ACCEPTED = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


@pair(
    {"TXKEY-01": seen("^epoch 1$", expected="^epoch 0$", what="^given to task one$")},
    origin="the proposal's text: an epoch that is unsigned, and begins at -1",
)
class EpochsFromOne(TransactionKeys):
    """The first connection of a key gets epoch 1, as if another connection had been there before."""

    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(record) + (record is None)


@pair(
    {"TXKEY-01": expected("^success$", what="^answer to TC_CLIENT_CONNECT$", code=24)},
    origin="textbook: a look-up where an entry should be made",
)
class KeysMustBeThere(TransactionKeys):
    """A key that no administrator has made is not known, and its connect is refused."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, record)
        self.describe(key)


@pair(
    {"TXKEY-02": seen("^epoch 0, where task one has 0$", expected="^a greater epoch", what="^given to task two$")},
    origin="textbook: a counter that is read, and not counted up",
)
class OneEpochForAll(TransactionKeys):
    """Every connection of a key is given the current epoch, so that two processes have the same."""

    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(None) if record is None else record.epoch


@pair(
    {
        "TXKEY-02": seen("at epoch 2,", expected="at epoch 1,", what='^key "payments"$'),
        "TXKEY-03": seen("at epoch 2,", expected="at epoch 1,", what='^key "payments"$'),
    },
    origin="textbook: a counter that moves at the attempt",
)
class RefusedConnectsCostAnEpoch(TransactionKeys):
    """The epoch is raised before it is compared, so that a refused connect makes the latest epoch stale."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except CommandRefused:
            if record is not None:
                self.persist(key, self.next_epoch(record), (), record.open)
            raise


@pair({"TXKEY-03": _ACCEPTED}, origin="the proposal's text: reject, if an older epoch; where nothing is compared")
class OldEpochsTaken(TransactionKeys):
    """A process that was fenced may connect with its epoch, and fences its successor."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        is_known = record is not None and 0 <= epoch <= record.epoch
        super().check_epoch(key, NEW if is_known else epoch, record)


@pair({"TXKEY-03": _ACCEPTED}, origin="the proposal's text, O6: it says what becomes of older epochs alone")
class LaterEpochsTaken(TransactionKeys):
    """Only an epoch lower than the latest one is refused; one that was never assigned is accepted."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        is_later = record is not None and epoch > record.epoch
        super().check_epoch(key, NEW if is_later else epoch, record)


@pair({"TXKEY-03": _ACCEPTED}, origin="a review of the reference, which did the same")
class EpochsOfDeletionsTaken(TransactionKeys):
    """A deletion raises the epoch to one that no client was given, and a client that names it is accepted."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, None if record is None else record.model_copy(update={"deleted": False}))


@pair({"TXKEY-03": _ACCEPTED}, origin="textbook: less than 0 instead of -1")
class NegativeEpochsTaken(TransactionKeys):
    """Every negative epoch counts as that of a new client."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, max(epoch, NEW), record)


@pair(
    {"TXKEY-03": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="feared by readers of the proposal: it has no order",
)
class AbortedBeforeRefused(TransactionKeys):
    """A connect aborts what is open before it compares the epoch, so that a refused connect has aborted it too."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except CommandRefused:
            for txn in () if record is None else self.to_fence(record):
                self.abort(txn)
            raise


@pair(
    {"TXKEY-02": seen("at epoch 0,", expected="at epoch 1,", what='^key "payments"$')},
    origin="a review of the suite, which did not look there",
    also=[SlowerNetwork],
)
class WaitingPredecessorComesBack(TransactionKeys):
    """A predecessor that has waited for its new transaction begins it after the takeover, and the key is back at its epoch."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        waiting = self._waiting
        super().take_over(key, client)
        self._waiting = waiting

    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task one$")},
    origin="feared by readers of the proposal: a broker that only counts epochs",
)
class PreviousConnectionStays(TransactionKeys):
    """The previous connection of a key stays open, and its client finds out with its next request."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        self._clients.pop(key, None)
        super().take_over(key, client)


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task two$")},
    origin="textbook: an entry that is made, and never replaced",
)
class FirstConnectionRemembered(TransactionKeys):
    """A key remembers the first connection that it had, and closes that again each time."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        first = self._clients.get(key, client)
        super().take_over(key, client)
        self._clients[key] = first


@pair(
    {"TXKEY-04": seen("^closed$", expected="^open$", what="^connection of task two$")},
    origin="textbook: all that are of a key, and not all others",
)
class NewConnectionClosed(TransactionKeys):
    """Both connections of a key are closed, the previous one and the one that is new."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        is_taken = key in self._clients
        super().take_over(key, client)
        if is_taken:
            client.send_away()


@pair(
    {"TXKEY-33": seen("^epoch 0$", expected="^no epoch$", what="^given to task (one|two)$")},
    origin="feared by readers of the proposal: fields that are required",
)
class KeysMadeUp(NodeKeys):
    """A client that names no key gets one, and an epoch that it never requested."""

    @functools.cached_property
    def made_up(self) -> list[TransactionKey]:
        """The keys of those that have none."""
        return []

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        if (key := super().key_of(owner, sent)) is not None:
            return key
        self.made_up.append(TransactionKey(owner, f"anonymous {len(self.made_up)}"))
        return self.made_up[-1]

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        return coordinators[0] if key in self.made_up else super().home_of(key, coordinators, scalable=scalable)


@pair(
    {"TXKEY-02": expected("^success$", what="^answer to TC_CLIENT_CONNECT$", error="^NotAllowedError$")},
    origin="a review of the suite, which did not look there; the default of a protobuf field",
)
class AbsentEpochIsZero(NodeKeys):
    """An optional field that is absent reads as 0, so a new process that says no epoch is taken for the first one, and stays outside."""

    def epoch_of(self, sent: int | None) -> int:
        return sent or 0


@pair(
    {"TXKEY-04": expected("^success$", what="^answer to PRODUCER$", error="^ProducerBusy$")},
    origin="a review of the suite, which did not look there; brokers that detach what a client has opened when the client hangs up",
)
class ProducersStay(TransactionKeys):
    """The coordinator closes the previous connection of a key, and topics are not notified: its producers keep their names."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        if isinstance(previous := self._clients.get(key), Peer) and previous is not client:
            previous.producers.clear()
        super().take_over(key, client)


@pair(
    {"TXKEY-04": expected("^success$", what="^answer to SUBSCRIBE$", error="^ConsumerBusy$")},
    origin="a review of the suite, which did not look there; brokers that detach what a client has opened when the client hangs up",
)
class ConsumersStay(TransactionKeys):
    """The coordinator closes the previous connection of a key, and subscriptions are not notified: its consumers stay attached."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        if isinstance(previous := self._clients.get(key), Peer) and previous is not client:
            previous.consumers.clear()
        super().take_over(key, client)


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task one$")},
    origin="a review of the suite, which did not look there",
)
class AllConnectionsForgotten(TransactionKeys):
    """When a client leaves, its coordinator forgets the connections of all keys, so later connects close no previous connection."""

    def forget(self, client: KeyConnection) -> None:
        if client in self._clients.values():
            self._clients = {}


@pair(
    {"TXKEY-02": seen("^epoch 0, where task one has 0$", expected="^a greater epoch", what="^given to task two$")},
    origin="a review of the suite, where predecessors still have their connections; the map of live connections that brokers keep",
)
class GoesWithItsConnection(TransactionKeys):
    """When the connection of a key closes, its coordinator drops the key with it; the next one is given the first epoch again."""

    def forget(self, client: KeyConnection) -> None:
        for key in [key for key, one in self._clients.items() if one is client]:
            del self._records[key]
        super().forget(client)


@pair({"TXKEY-03": _ACCEPTED}, origin="red team: a comparison with the epoch before, where all before are meant")
class OnlyTheEpochBeforeRefused(TransactionKeys):
    """A client with the epoch before the latest is refused, and one with an older epoch fences the latest."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        if record is None or record.deleted or not NEW < epoch < record.epoch - 1:
            super().check_epoch(key, epoch, record)


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task two$")},
    origin="red team: a refusal that ends the old connection before the check",
)
class RefusalForgetsTheConnection(TransactionKeys):
    """A coordinator that refuses an epoch forgets which connection has the key: the next connect does not close it."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except CommandRefused:
            self._clients.pop(key, None)
            raise


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task one$")},
    origin="red team: a connection that is noted before its epoch is stored",
)
class NotStoredForgetsTheConnection(TransactionKeys):
    """A coordinator that cannot store a connect forgets which connection has the key: the next connect does not close it."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        try:
            super().persist(key, epoch, fenced, txn)
        except CommandRefused:
            self._clients.pop(key, None)
            raise


@pair(
    {"TXKEY-04": seen("^open$", expected="^closed$", what="^connection of task two$")},
    origin="red team: what is left after the first key of a table has been looked at",
)
class LeavingForgetsOthers(TransactionKeys):
    """When the client of the coordinator's oldest key leaves, the coordinator forgets the connections of all its keys."""

    def forget(self, client: KeyConnection) -> None:
        if client is next(iter(self._clients.values()), None):
            self._clients = {}
        super().forget(client)
