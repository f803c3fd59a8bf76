"""Defects in what identifies a transaction key, who owns it, and which coordinator keeps it."""

from collections.abc import Mapping, Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection, KeyedRequest, WaitingConnect
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import SlowerNetwork, pair

_LONGEST = 1_024
_SHORT = 14
_SHARED = Symptom(what="^given to task two$", expected="^epoch 0$", seen="^epoch 1$")
_SHARED_BESIDE = Symptom(what="^(status of A|connection of task one)$", expected="^(OPEN|open)$")
_NOT_FOUND = Symptom(what="^answer$", expected='^an answer when asking for key "c"', seen="404")
_ALLOWED = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


@pair({"TXKEY-15": _SHARED}, origin="textbook: kept by owner alone")
class NamesIgnored(NodeKeys):
    """An owner has one key, whatever its name."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, "")


@pair({"TXKEY-15": _SHARED}, origin="textbook: a field of fixed length")
class BeginningsCompared(NodeKeys):
    """The coordinator compares only the first 14 letters of a key."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name[:_SHORT])


@pair({"TXKEY-15": _SHARED}, origin="brokers whose administrators expect file names")
class LettersFolded(NodeKeys):
    """Capital letters and small ones are the same."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name.lower())


@pair({"TXKEY-15": _SHARED_BESIDE}, origin="the proposal's text: a path that has the key in it")
class SlashesEndKeys(NodeKeys):
    """A key ends at its first slash, for the admin path does."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name.partition("/")[0])


@pair({"TXKEY-15": _SHARED}, origin="textbook: input that is tidied up, where it is an identity")
class BlanksStripped(NodeKeys):
    """Keys that differ in blanks at their ends are one key, and fence each other."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent.strip())


@pair({"TXKEY-16": _SHARED}, origin="feared by readers of the proposal: no message has the owner")
class OwnersIgnored(NodeKeys):
    """A key is its name, and two owners that chose the same one fence each other."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:  # noqa: ARG002 - any owner
        return super().key_of("", sent)


@pair({"TXKEY-16": _SHARED}, origin="textbook: a default where there is none")
class NobodyIsSomebody(NodeKeys):
    """Clients that say no name have the keys of an owner that has one."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner or "alice", sent)


@defect(
    {"TXKEY-16": seen("^no answer ", expected="^a greater epoch", what="^given to task two$")},
    origin="a review of the suite, which did not look there",
    also=[SlowerNetwork],
)
class KeyWaitersFoundByName(TransactionKeys):
    """A connect that waits is dropped when another owner connects with a key of that name, and is never answered."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        self._waiting = [one for one in self._waiting if one.claim.key.name != key.name]
        super().take_over(key, client)


@defect(
    {"TXKEY-15": seen("^no answer ", expected="^a greater epoch", what="^given to task three$")},
    origin="textbook: a list that is emptied where one entry should be removed",
    also=[SlowerNetwork],
)
class KeyAllWhoWaitDropped(TransactionKeys):
    """A deletion drops all connects that wait at its coordinator, also those with other keys, and they are never answered."""

    def delete(self, key: TransactionKey) -> None:
        super().delete(key)
        self._waiting = []


@pair({"TXKEY-17": _ALLOWED}, origin="the proposal's text, O17: the client's builder forbids it")
class AmpersandsTaken(NodeKeys):
    """A key may have an ampersand: only the official client refuses it."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return TransactionKey(owner, sent.decode()) if sent and b"&" in sent else super().key_of(owner, sent)


@pair({"TXKEY-17": _ALLOWED}, origin="textbook: a value where presence decides")
class EmptyIsNone(NodeKeys):
    """A client with an empty key is taken for one without a key, and believes that it fences."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent or None)


@pair({"TXKEY-17": _ALLOWED}, origin="textbook: cut where it should be refused")
class LongKeysCut(NodeKeys):
    """The coordinator compares only the first 1024 bytes of a long key, so two long keys count as one."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent[:_LONGEST])


@pair({"TXKEY-17": _ALLOWED}, origin="textbook: a decoder that is set to overlook errors")
class OtherBytesLeftOut(NodeKeys):
    """Bytes of a key that are not UTF-8 are dropped, so that different keys become one."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent.decode(errors="ignore").encode())


@pair({"TXKEY-17": _ALLOWED}, origin="textbook: a comparison that is off by one")
class OneByteMoreTaken(NodeKeys):
    """A key may have one byte more than is allowed."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent[: len(sent) - (len(sent) == _LONGEST + 1)])


@pair({"TXKEY-18": _NOT_FOUND}, origin="the proposal's text, O15")
class JoinedWithAmpersand(NodeKeys):
    """Owner and key are joined with an ampersand, and taken apart at the first one there is."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        if (key := super().key_of(owner, sent)) is None:
            return None
        first, _, rest = f"{key.owner}&{key.name}".partition("&")
        return TransactionKey(first, rest)


@pair({"TXKEY-18": _SHARED}, origin="textbook: a separator that is cut off where it ends a text")
class OwnersTrimmed(NodeKeys):
    """An ampersand at the end of an owner's name is left out, and one owner fences the other."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner.rstrip("&"), sent)


@pair({"TXKEY-18": _NOT_FOUND}, origin="textbook: taken apart from the end")
class LastPartOfOwners(NodeKeys):
    """The coordinator compares only the part of an owner's name after its last ampersand."""

    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner.rpartition("&")[2], sent)


@pair(
    {"TXKEY-19": seen(r"^coordinator \d", expected="^the coordinator of ", what="^given to task (two|three|four)$")},
    origin="the proposal's text, O19: out of its scope",
)
class KeysMove(NodeKeys):
    """The coordinator of a key follows from its hash also when coordinators were added: its transaction stays at the old one."""

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:  # noqa: ARG002 - the same for both kinds
        return key.coordinator_of(len(coordinators))


@pair(
    {"TXKEY-19": seen(r"^coordinator \d", expected="^the coordinator of task one$", what="^given to task two$")},
    origin="every release of Apache Pulsar, whose clients spread their transactions",
)
class KeysBalanced(NodeKeys):
    """Each connect goes to the coordinator that has the fewest keys."""

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:  # noqa: ARG002 - whichever it is
        return min(coordinators, key=lambda tc_id: len(self._topics.of(tc_id, scalable=scalable).load()))


@pair(
    {"TXKEY-15": seen("^closed$", expected="^open$", what="^connection of task one$")},
    origin="a review of the reference, which did the same where the keys belong to different coordinators",
)
class SeveralKeysOnAConnection(NodeKeys):
    """A connection may have a second key, and is closed for both when one of them is taken over."""

    def refuse_another(self, key: TransactionKey, had: Sequence[TransactionKey]) -> None:
        """A second key is accepted."""


@pair(
    {"TXKEY-19": seen("^success$", expected="^a refusal$", what="^answer to a new transaction$")},
    origin="a review of the suite, which did not look there; clients that spread their transactions over all coordinators",
)
class BeginsBesideTheKey(NodeKeys):
    """On the connection of a key other coordinators also begin transactions; these belong to no key, so they are never fenced."""

    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        return claims.get((scalable, tc_id))


@pair(
    {"TXKEY-15": seen("^no answer ", expected="^a greater epoch", what="^given to task four$")},
    origin="a review of the suite, which did not look there",
)
class OneKeyServed(TransactionKeys):
    """The timer looks only at the connects that wait for the same key as the first one, and the others are never answered."""

    def sweep(self) -> None:
        self._waiting = [one for one in self._waiting if one.claim.key == self._waiting[0].claim.key]
        super().sweep()


@defect(
    {"TXKEY-15": seen("^no answer ", expected="^a greater epoch", what="^given to task four$")},
    origin="a review of the suite, in which all waited for the same second",
)
class KeyAnsweredInTheirOrder(TransactionKeys):
    """A coordinator answers connects in the order in which they came, so that one participant that is away blocks all keys."""

    def when_over(self, waiting: WaitingConnect) -> None:
        if any(one.claim.key != waiting.claim.key for one in self._waiting):
            self._waiting.append(waiting)
        else:
            super().when_over(waiting)


@pair(
    {"TXKEY-15": seen("^no answer ", expected="^a greater epoch", what="^given to task four$")},
    origin="textbook: a filter that returns its first match",
)
class OneOtherGoesOnWaiting(TransactionKeys):
    """A connect leaves one of the connects that wait with other keys at its coordinator, and the others are never answered."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        super().take_over(key, client)
        self._waiting = self._waiting[:1]


"""Seen where there is one coordinator; of several, two keys have one each."""

"""Seen where there is one coordinator; of several, the keys of two owners have one each."""


"""Segments ask by themselves how a transaction has ended, sooner than clients lose patience."""


@defect(
    {"TXKEY-15": seen("^ABORTED$", expected="^OPEN$", what="^status of A$")},
    origin="red team: a range of keys without an end",
)
class KeyDeletionTakesWhatBeginsAlike(TransactionKeys):
    """The deletion of a key also deletes its owner's keys whose names begin with its name."""

    def delete(self, key: TransactionKey) -> None:
        super().delete(key)
        for other in self.listed():
            if other.owner == key.owner and other.name.startswith(key.name):
                super().delete(other)


@defect(
    {"TXKEY-16": expected("^a greater epoch than task two$", what="^given to task four$")},
    origin="red team: a topic that is compacted by a part of what it is written for",
)
class KeyTopicOfNames(KeyTopic):
    """The key topic is compacted by the names of keys alone: after a start, owners with equal names share the last record
    of any of them.
    """

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        super().load()
        last = {key.name: record for key, record in self._latest.items()}
        self._latest = {key: last[key.name].model_copy(update={"owner": key.owner}) for key in self._latest}
        return dict(self._latest)


@pair(
    {"TXKEY-15": seen("InvalidTxnStatus", expected="^success$", what="^answer to SEND$")},
    origin="red team: half of an id used as a key",
)
class FencesByNumber(NodeKeys):
    """A participant finds a fenced transaction by the least significant bits of its id, and so refuses the transaction of another key at
    another coordinator.
    """

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        for tc_id in coordinators:
            super().refuse_fenced(TxnId(tc_id, txn.sequence), doing, coordinators, scalable=scalable)


@pair(
    {"TXKEY-19": Symptom(what="^status of A$", expected="^OPEN$", seen="^(ABORTED|not known any more)$")},
    origin="red team: the end of the transaction before, asked for before the request is checked",
)
class RefusedRequestAborts(NodeKeys):
    """A request for a transaction that another coordinator refuses has aborted the transaction that the key has open at its own."""

    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        try:
            return super().claim_at(claims, tc_id, scalable=scalable)
        except CommandRefused:
            for (kind, number), claim in claims.items():
                if (keys := self._keys.get((kind, number))) is not None:
                    for txn in keys.to_fence(keys.current(claim)):
                        keys.abort(txn)
            raise
