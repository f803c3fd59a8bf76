"""Defects of the transaction key in connects: which epoch is accepted and given, and what becomes of the connection before."""

import functools

from fencepost.contract.symptom import Symptom
from fencepost.reference.pulsar.api.peer import Peer
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.transaction_key.claims import Claim, Client
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.keys import NEW, TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord

from .pair import SlowerNetwork, pair

_ACCEPTED = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


class _BeginsAtOne(TransactionKeys):
    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(record) + (record is None)


class _WantsAKnownKey(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, record)
        self.describe(key)


class _KeepsTheEpoch(TransactionKeys):
    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(None) if record is None else record.epoch


class _RefusalsCost(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except Refused:
            if record is not None:
                self.persist(key, self.next_epoch(record), (), record.open)
            raise


class _TakesOldEpochs(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        is_known = record is not None and 0 <= epoch <= record.epoch
        super().check_epoch(key, NEW if is_known else epoch, record)


class _TakesLaterEpochs(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        is_later = record is not None and epoch > record.epoch
        super().check_epoch(key, NEW if is_later else epoch, record)


class _TakesWhatDeletionsTook(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, None if record is None else record.model_copy(update={"deleted": False}))


class _TakesNegativeEpochs(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, max(epoch, NEW), record)


class _AbortsBeforeItRefuses(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except Refused:
            for txn in () if record is None else self.to_fence(record):
                self.abort(txn)
            raise


class _BringsThePredecessorBack(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        waiting = self._waiting
        super().take_over(key, client)
        self._waiting = waiting

    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]


class _LeavesItOpen(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        self._clients.pop(key, None)
        super().take_over(key, client)


class _KnowsTheFirst(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        first = self._clients.get(key, client)
        super().take_over(key, client)
        self._clients[key] = first


class _ClosesTheNew(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        is_taken = key in self._clients
        super().take_over(key, client)
        if is_taken:
            client.send_away()


class _MakesUpAKey(NodeKeys):
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


class _ReadsAbsentAsZero(NodeKeys):
    def epoch_of(self, sent: int | None) -> int:
        return sent or 0


class _LeavesProducers(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        if isinstance(previous := self._clients.get(key), Peer) and previous is not client:
            previous.producers.clear()
        super().take_over(key, client)


class _LeavesConsumers(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        if isinstance(previous := self._clients.get(key), Peer) and previous is not client:
            previous.consumers.clear()
        super().take_over(key, client)


class _ForgetsAll(TransactionKeys):
    def forget(self, client: Client) -> None:
        if client in self._clients.values():
            self._clients = {}


class _ForgetsTheKey(TransactionKeys):
    def forget(self, client: Client) -> None:
        for key in [key for key, one in self._clients.items() if one is client]:
            del self._records[key]
        super().forget(client)


EPOCHS_FROM_ONE = pair(
    "epochs-from-one",
    breaks={"TXKEY-01": Symptom(what="^given to task one$", expected="^epoch 0$", seen="^epoch 1$")},
    story="The first connection of a key is given epoch 1, as if somebody had been there before it.",
    origin="the proposal's text: an epoch that is unsigned, and begins at -1",
    transaction_keys=_BeginsAtOne,
)

KEYS_MUST_BE_THERE = pair(
    "keys-must-be-there",
    breaks={"TXKEY-01": Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="^success$", code=24)},
    story="A key that no administrator has made is not known, and its connect is refused.",
    origin="textbook: a look-up where an entry should be made",
    transaction_keys=_WantsAKnownKey,
)

ONE_EPOCH_FOR_ALL = pair(
    "one-epoch-for-all",
    breaks={"TXKEY-02": Symptom(what="^given to task two$", expected="^a greater epoch", seen="^epoch 0, where task one has 0$")},
    story="Every connection of a key is given the epoch that is there, so that two processes have the same.",
    origin="textbook: a counter that is read, and not counted up",
    transaction_keys=_KeepsTheEpoch,
)

REFUSED_CONNECTS_COST_AN_EPOCH = pair(
    "refused-connects-cost-an-epoch",
    breaks={
        "TXKEY-02": Symptom(what='^key "payments"$', expected="at epoch 1,", seen="at epoch 2,"),
        "TXKEY-03": Symptom(what='^key "payments"$', expected="at epoch 1,", seen="at epoch 2,"),
    },
    story="The epoch is counted up before it is compared, so that a connect that is refused makes the latest one stale.",
    origin="textbook: a counter that moves at the attempt",
    transaction_keys=_RefusalsCost,
)

OLD_EPOCHS_TAKEN = pair(
    "old-epochs-taken",
    breaks={"TXKEY-03": _ACCEPTED},
    story="A process that was fenced may connect with its epoch, and fences its successor.",
    origin="the proposal's text: reject, if an older epoch; where nothing is compared",
    transaction_keys=_TakesOldEpochs,
)

LATER_EPOCHS_TAKEN = pair(
    "later-epochs-taken",
    breaks={"TXKEY-03": _ACCEPTED},
    story="Only an epoch that is lower than the latest is stale; one that nobody was given is accepted.",
    origin="the proposal's text, O6: it says what becomes of older epochs alone",
    transaction_keys=_TakesLaterEpochs,
)

NEGATIVE_EPOCHS_TAKEN = pair(
    "negative-epochs-taken",
    breaks={"TXKEY-03": _ACCEPTED},
    story="Whatever is negative says that a client is new.",
    origin="textbook: less than 0 instead of -1",
    transaction_keys=_TakesNegativeEpochs,
)

ABORTED_BEFORE_REFUSED = pair(
    "aborted-before-refused",
    breaks={"TXKEY-03": Symptom(what="^status of A$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$")},
    story="A connect aborts what is open before it looks at the epoch, so that one that is refused has done that too.",
    origin="feared by readers of the proposal: it has no order",
    transaction_keys=_AbortsBeforeItRefuses,
)

PREVIOUS_CONNECTION_STAYS = pair(
    "previous-connection-stays",
    breaks={"TXKEY-04": Symptom(what="^connection of task one$", expected="^closed$", seen="^open$")},
    story="The previous connection of a key stays open, and its client finds out with its next request.",
    origin="feared by readers of the proposal: a broker that only counts epochs",
    transaction_keys=_LeavesItOpen,
)

FIRST_CONNECTION_REMEMBERED = pair(
    "first-connection-remembered",
    breaks={"TXKEY-04": Symptom(what="^connection of task two$", expected="^closed$", seen="^open$")},
    story="A key remembers the first connection that it had, and closes that again each time.",
    origin="textbook: an entry that is made, and never replaced",
    transaction_keys=_KnowsTheFirst,
)

NEW_CONNECTION_CLOSED = pair(
    "new-connection-closed",
    breaks={"TXKEY-04": Symptom(what="^connection of task two$", expected="^open$", seen="^closed$")},
    story="Both connections of a key are closed, the previous one and the one that is new.",
    origin="textbook: all that are of a key, and not all others",
    transaction_keys=_ClosesTheNew,
)

KEYS_MADE_UP = pair(
    "keys-made-up",
    breaks={"TXKEY-33": Symptom(what="^given to task (one|two)$", expected="^no epoch$", seen="^epoch 0$")},
    story="Who names no key is given one, and with it an epoch that it never asked for.",
    origin="feared by readers of the proposal: fields that are required",
    node_keys=_MakesUpAKey,
)

WAITING_PREDECESSOR_COMES_BACK = pair(
    "waiting-predecessor-comes-back",
    breaks={"TXKEY-02": Symptom(what='^key "payments"$', expected="at epoch 1,", seen="at epoch 0,")},
    story="A predecessor that has waited for its new transaction begins it behind the takeover, and the key is back at its epoch.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_BringsThePredecessorBack,
    network=SlowerNetwork,
)

PRODUCERS_STAY = pair(
    "producers-stay",
    breaks={"TXKEY-04": Symptom(what="^answer to PRODUCER$", expected="^success$", error="^ProducerBusy$")},
    story="The previous connection of a key is closed by the coordinator, and topics do not hear of it: its producers keep their names.",
    origin="a review of the suite, which did not look there; brokers that detach what a client has opened when the client hangs up",
    transaction_keys=_LeavesProducers,
)

CONSUMERS_STAY = pair(
    "consumers-stay",
    breaks={"TXKEY-04": Symptom(what="^answer to SUBSCRIBE$", expected="^success$", error="^ConsumerBusy$")},
    story="The previous connection of a key is closed by the coordinator, and subscriptions do not hear of it: its consumers keep them.",
    origin="a review of the suite, which did not look there; brokers that detach what a client has opened when the client hangs up",
    transaction_keys=_LeavesConsumers,
)

EPOCHS_OF_DELETIONS_TAKEN = pair(
    "epochs-of-deletions-taken",
    breaks={"TXKEY-03": _ACCEPTED},
    story="A deletion takes an epoch, which nobody was given; a client that names it is taken for the latest one.",
    origin="a review of the reference, which had it so",
    transaction_keys=_TakesWhatDeletionsTook,
)

ABSENT_EPOCH_IS_ZERO = pair(
    "absent-epoch-is-zero",
    breaks={"TXKEY-02": Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="^success$", error="^NotAllowedError$")},
    story="An optional field that is absent reads as 0, so a new process that says no epoch is taken for the first one, and stays outside.",
    origin="a review of the suite, which did not look there; the default of a protobuf field",
    node_keys=_ReadsAbsentAsZero,
)

ALL_CONNECTIONS_FORGOTTEN = pair(
    "all-connections-forgotten",
    breaks={"TXKEY-04": Symptom(what="^connection of task one$", expected="^closed$", seen="^open$")},
    story="When a client leaves, its coordinator forgets the connections of all keys, and the next connects close nobody's.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_ForgetsAll,
)

KEY_GOES_WITH_ITS_CONNECTION = pair(
    "goes-with-its-connection",
    breaks={"TXKEY-02": Symptom(what="^given to task two$", expected="^a greater epoch", seen="^epoch 0, where task one has 0$")},
    story="When the connection of a key closes, its coordinator drops the key with it; the next one is given the first epoch again.",
    origin="a review of the suite, where predecessors still have their connections; the map of live connections that brokers keep",
    transaction_keys=_ForgetsTheKey,
)
