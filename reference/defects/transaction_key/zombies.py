"""Defects of the transaction key in what a task that was fenced can still do."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import expected, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection, KeyedRequest
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import pair

_ENDED = Symptom(what="^answer to END_TXN$", expected="InvalidTxnStatus", seen="^success$")
_IN_WORDS = Symptom(what="^refusal of ", expected="^ExpiredTransaction")


@pair({"TXKEY-10": _ENDED, "TXKEY-32": _ENDED}, origin="textbook: what has ended needs no end")
class FencedCommitSucceeds(TransactionKeys):
    """The commit of a fenced transaction is answered with success, for the transaction has ended; its work is gone."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if action is EndAction.COMMIT and self._topic.is_fenced(txn):
            reply()
        else:
            super().end(txn, action, reply)


@pair(
    {"TXKEY-32": seen("^nothing$", expected='^"b1"$', what="^readers of orders$")},
    origin="textbook: the close of a connection is handled by the name that it was registered under",
)
class LateCloseEndsTheSuccessors(TransactionKeys):
    """A connection that a successor has closed is noticed as gone some time later, and then what its key has open is aborted."""

    def recover(self) -> None:
        super().recover()
        self._closing: set[TransactionKey] = set()

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        if self._clients.get(key) not in (None, client):
            self._closing.add(key)
        super().take_over(key, client)

    def sweep(self) -> None:
        super().sweep()
        begun = {key: txn for key in self._closing if (txn := self._records[key].open_txn) is not None}
        self._closing -= begun.keys()
        for txn in begun.values():
            self.abort(txn)


@pair({"TXKEY-11": _ENDED}, origin="the proposal's text, O13")
class FencedAbortSucceeds(TransactionKeys):
    """The abort of a fenced transaction is answered with success, because it is aborted; the client does not learn that it was fenced."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if action is EndAction.ABORT and self._topic.is_fenced(txn):
            reply()
        else:
            super().end(txn, action, reply)


@pair({"TXKEY-10": _IN_WORDS}, origin="the proposal's text, O11: an exception that no answer names")
class EndsRefusedAsAny(TransactionKeys):
    """Ends of fenced transactions are refused with the error for their status, so a client cannot see that it was fenced."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest) -> None:
        if doing is KeyedRequest.ADD:
            super().refuse_fenced(txn, doing)


@pair(
    {"TXKEY-12": seen("^(transaction .*|success)$", what="^(refusal of ADD_SUBSCRIPTION_TO_TXN|answer to ADD_PARTITION_TO_TXN)$")},
    origin="textbook: of several requests one is forgotten",
)
class AddedToTheFenced(TransactionKeys):
    """Only ends are refused in a fenced transaction: the coordinator takes participants in, as it would without a key."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest) -> None:
        if doing is not KeyedRequest.ADD:
            super().refuse_fenced(txn, doing)


@pair(
    {"TXKEY-11": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of B$")},
    origin="feared by readers of the proposal: an end that names the key, and not the transaction",
)
class AbortHitsTheSuccessor(TransactionKeys):
    """The late abort of a task that was fenced aborts what its key has open, which is its successor's."""

    ends: tuple[EndAction, ...] = (EndAction.ABORT,)

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused:
            for record in self._records.values() if action in self.ends else ():
                if txn in record.fenced_txns and record.open_txn is not None:
                    self.abort(record.open_txn)
            raise


@pair(
    {"TXKEY-10": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of B$")},
    origin="textbook: the last writer wins",
)
class CommitHitsTheSuccessor(AbortHitsTheSuccessor):
    """A late commit is taken for a conflict of two tasks, and what the newer one has open is aborted."""

    ends = (EndAction.COMMIT,)

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        super().end(txn, action, reply)


@pair(
    {"TXKEY-12": seen("^success$", what="^answer to a new transaction$")},
    origin="feared by readers of the proposal: an epoch that is compared at the connect alone",
)
class OldConnectionsServed(TransactionKeys):
    """The previous connection of a key is served as before, and begins transactions that fence those of its successor."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        self._clients.pop(key, None)
        super().take_over(key, client)

    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]


@pair(
    {
        "TXKEY-07": expected("InvalidTxnStatus|^ExpiredTransaction", what="^(answer to|refusal of) SEND$"),
        "TXKEY-10": expected("InvalidTxnStatus|^ExpiredTransaction", what="^(answer to|refusal of) the commit of A$"),
        "TXKEY-11": expected("InvalidTxnStatus|^ExpiredTransaction", what="^(answer to|refusal of) the abort of A$"),
    },
    origin="a review of the suite, in which who comes late had no key",
)
class WhoHasTheKeyTrusted(NodeKeys):
    """The broker does not check for fenced transactions on the connection that has the key: a client that was fenced and has
    reconnected continues its old transaction."""

    def asks_of(self, claims: Mapping[tuple[bool, int], Claim]) -> bool:
        return not claims


@pair(
    {"TXKEY-10": seen("^success$", expected="InvalidTxnStatus", what="^answer to END_TXN$")},
    origin="feared: the successor is looked up, and a deletion has none",
)
class CommitAfterDeletionSucceeds(TransactionKeys):
    """The commit of a transaction whose key was deleted is answered with success; its work is gone."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if action is EndAction.COMMIT and any(one.deleted and txn in one.fenced_txns for one in self._records.values()):
            reply()
        else:
            super().end(txn, action, reply)
