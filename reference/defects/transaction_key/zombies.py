"""Defects of the transaction key in what a task that was fenced can still do."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.transaction_key.claims import Claim, Client, Doing
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord
from fencepost.reference.pulsar.values import Action, TxnId

from .pair import pair

_ENDED = Symptom(what="^answer to END_TXN$", expected="InvalidTxnStatus", seen="^success$")
_IN_WORDS = Symptom(what="^refusal of ", expected="^ExpiredTransaction")


class _ThanksForCommits(TransactionKeys):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if action is Action.COMMIT and self._topic.is_fenced(txn):
            reply()
        else:
            super().end(txn, action, reply)


class _ThanksForAborts(TransactionKeys):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if action is Action.ABORT and self._topic.is_fenced(txn):
            reply()
        else:
            super().end(txn, action, reply)


class _AsksTheCoordinator(TransactionKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing) -> None:
        if doing is Doing.ADD:
            super().refuse_fenced(txn, doing)


class _AddsToTheFenced(TransactionKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing) -> None:
        if doing is not Doing.ADD:
            super().refuse_fenced(txn, doing)


class _EndsWhatTheKeyHas(TransactionKeys):
    """An end of a fenced transaction that ends what its key has open now."""

    ends: tuple[Action, ...] = (Action.ABORT,)

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused:
            for record in self._records.values() if action in self.ends else ():
                if txn in record.fenced_txns and record.open_txn is not None:
                    self.abort(record.open_txn)
            raise


class _EndsWhatTheKeyHasAtCommits(_EndsWhatTheKeyHas):
    ends = (Action.COMMIT,)

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        super().end(txn, action, reply)


class _ServesTheOld(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        self._clients.pop(key, None)
        super().take_over(key, client)

    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]


class _TrustsWhoHasTheKey(NodeKeys):
    def asks_of(self, claims: Mapping[tuple[bool, int], Claim]) -> bool:
        return not claims


FENCED_COMMIT_SUCCEEDS = pair(
    "fenced-commit-succeeds",
    breaks={"TXKEY-10": _ENDED, "TXKEY-32": _ENDED},
    story="The commit of a fenced transaction is answered with success, for the transaction has ended; its work is gone.",
    origin="textbook: what has ended needs no end",
    transaction_keys=_ThanksForCommits,
)

FENCED_ABORT_SUCCEEDS = pair(
    "fenced-abort-succeeds",
    breaks={"TXKEY-11": _ENDED},
    story="The abort of a fenced transaction is answered with success, for it is aborted; the task is not told that it was fenced.",
    origin="the proposal's text, O13",
    transaction_keys=_ThanksForAborts,
)

ENDS_REFUSED_AS_ANY = pair(
    "ends-refused-as-any",
    breaks={"TXKEY-10": _IN_WORDS},
    story="Ends of fenced transactions are refused for their status alone, and a client cannot tell that it was fenced.",
    origin="the proposal's text, O11: an exception that no answer names",
    transaction_keys=_AsksTheCoordinator,
)

ADDED_TO_THE_FENCED = pair(
    "added-to-the-fenced",
    breaks={
        "TXKEY-12": Symptom(what="^(refusal of ADD_SUBSCRIPTION_TO_TXN|answer to ADD_PARTITION_TO_TXN)$", seen="^(transaction .*|success)$")
    },
    story="Only ends are refused in a fenced transaction: the coordinator takes participants in, as it would without a key.",
    origin="textbook: of several requests one is forgotten",
    transaction_keys=_AddsToTheFenced,
)

ABORT_HITS_THE_SUCCESSOR = pair(
    "abort-hits-the-successor",
    breaks={"TXKEY-11": Symptom(what="^status of B$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$")},
    story="The late abort of a task that was fenced aborts what its key has open, which is its successor's.",
    origin="feared by readers of the proposal: an end that names the key, and not the transaction",
    transaction_keys=_EndsWhatTheKeyHas,
)

COMMIT_HITS_THE_SUCCESSOR = pair(
    "commit-hits-the-successor",
    breaks={
        "TXKEY-10": Symptom(what="^status of B$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$"),
    },
    story="A late commit is taken for a conflict of two tasks, and what the newer one has open is aborted.",
    origin="textbook: who comes last is right",
    transaction_keys=_EndsWhatTheKeyHasAtCommits,
)

OLD_CONNECTIONS_SERVED = pair(
    "old-connections-served",
    breaks={"TXKEY-12": Symptom(what="^answer to a new transaction$", seen="^success$")},
    story="The previous connection of a key is served as before, and begins transactions that fence those of its successor.",
    origin="feared by readers of the proposal: an epoch that is compared at the connect alone",
    transaction_keys=_ServesTheOld,
)

WHO_HAS_THE_KEY_TRUSTED = pair(
    "who-has-the-key-trusted",
    breaks={
        "TXKEY-07": Symptom(what="^(answer to|refusal of) SEND$", expected="InvalidTxnStatus|^ExpiredTransaction"),
        "TXKEY-10": Symptom(what="^(answer to|refusal of) the commit of A$", expected="InvalidTxnStatus|^ExpiredTransaction"),
        "TXKEY-11": Symptom(what="^(answer to|refusal of) the abort of A$", expected="InvalidTxnStatus|^ExpiredTransaction"),
    },
    story="On the connection that has the key nobody asks what was fenced: a task that was, and has come again, goes on where it was.",
    origin="a review of the suite, in which who comes late had no key",
    node_keys=_TrustsWhoHasTheKey,
)
