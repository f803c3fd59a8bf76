"""Defects of the transaction key in what a key is, whose it is, and where."""

from collections.abc import Mapping, Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.transaction_key.claims import Claim, Client, Waiting
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import SlowerNetwork, pair

_LONGEST = 1_024
_SHORT = 14
_SHARED = Symptom(what="^given to task two$", expected="^epoch 0$", seen="^epoch 1$")
_SHARED_BESIDE = Symptom(what="^(status of A|connection of task one)$", expected="^(OPEN|open)$")
_NOT_FOUND = Symptom(what="^answer$", expected='^an answer when asking for key "c"', seen="404")
_ALLOWED = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


class _OneKeyForAnOwner(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, "")


class _LooksAtTheBeginning(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name[:_SHORT])


class _FoldsLetters(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name.lower())


class _EndsAtTheSlash(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        key = super().key_of(owner, sent)
        return key and TransactionKey(owner, key.name.partition("/")[0])


class _StripsBlanks(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent.strip())


class _KnowsNoOwners(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:  # noqa: ARG002 - whoever it is
        return super().key_of("", sent)


class _HasADefaultOwner(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner or "alice", sent)


class _FindsWaitersByName(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        self._waiting = [one for one in self._waiting if one.claim.key.name != key.name]
        super().take_over(key, client)


class _DropsAllWhoWait(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        super().delete(key)
        self._waiting = []


class _TakesAmpersands(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return TransactionKey(owner, sent.decode()) if sent and b"&" in sent else super().key_of(owner, sent)


class _TakesEmptyForNone(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent or None)


class _CutsLongKeys(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent[:_LONGEST])


class _ReplacesWhatIsNotText(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent.decode(errors="ignore").encode())


class _TakesOneMore(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner, sent and sent[: len(sent) - (len(sent) == _LONGEST + 1)])


class _JoinsThem(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        if (key := super().key_of(owner, sent)) is None:
            return None
        first, _, rest = f"{key.owner}&{key.name}".partition("&")
        return TransactionKey(first, rest)


class _TrimsOwners(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner.rstrip("&"), sent)


class _TakesTheLastPart(NodeKeys):
    def key_of(self, owner: str, sent: bytes | None) -> TransactionKey | None:
        return super().key_of(owner.rpartition("&")[2], sent)


class _MovesWithTheCount(NodeKeys):
    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:  # noqa: ARG002 - the same for both kinds
        return key.coordinator_of(len(coordinators))


class _BalancesEachConnect(NodeKeys):
    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:  # noqa: ARG002 - whichever it is
        return min(coordinators, key=lambda tc_id: len(self._topics.of(tc_id, scalable=scalable).load()))


class _TakesAnotherKey(NodeKeys):
    def refuse_another(self, key: TransactionKey, had: Sequence[TransactionKey]) -> None:
        """Whatever it has."""


class _BeginsBesideTheKey(NodeKeys):
    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        return claims.get((scalable, tc_id))


class _ServesOneKey(TransactionKeys):
    def sweep(self) -> None:
        self._waiting = [one for one in self._waiting if one.claim.key == self._waiting[0].claim.key]
        super().sweep()


class _AnswersInTheirOrder(TransactionKeys):
    def when_over(self, waiting: Waiting) -> None:
        if any(one.claim.key != waiting.claim.key for one in self._waiting):
            self._waiting.append(waiting)
        else:
            super().when_over(waiting)


KEY_NAMES_IGNORED = pair(
    "names-ignored",
    breaks={"TXKEY-15": _SHARED},
    story="An owner has one key, whatever it calls it.",
    origin="textbook: kept by owner alone",
    node_keys=_OneKeyForAnOwner,
)

BEGINNINGS_COMPARED = pair(
    "beginnings-compared",
    breaks={"TXKEY-15": _SHARED},
    story=f"Of a key the first {_SHORT} letters count.",
    origin="textbook: a field of fixed length",
    node_keys=_LooksAtTheBeginning,
)

LETTERS_FOLDED = pair(
    "letters-folded",
    breaks={"TXKEY-15": _SHARED},
    story="Capital letters and small ones are the same.",
    origin="brokers whose administrators expect file names",
    node_keys=_FoldsLetters,
)

SLASHES_END_KEYS = pair(
    "slashes-end-keys",
    breaks={"TXKEY-15": _SHARED_BESIDE},
    story="A key ends at its first slash, for the admin path does.",
    origin="the proposal's text: a path that has the key in it",
    node_keys=_EndsAtTheSlash,
)

OWNERS_IGNORED = pair(
    "owners-ignored",
    breaks={"TXKEY-16": _SHARED},
    story="A key is its name, and two owners that chose the same one fence each other.",
    origin="feared by readers of the proposal: no message has the owner",
    node_keys=_KnowsNoOwners,
)

NOBODY_IS_SOMEBODY = pair(
    "nobody-is-somebody",
    breaks={"TXKEY-16": _SHARED},
    story="Clients that say no name have the keys of an owner that has one.",
    origin="textbook: a default where there is none",
    node_keys=_HasADefaultOwner,
)

SEVERAL_KEYS_ON_A_CONNECTION = pair(
    "several-keys-on-a-connection",
    breaks={"TXKEY-15": Symptom(what="^connection of task one$", expected="^open$", seen="^closed$")},
    story="A connection may have a second key, and is closed for both when one of them is taken over.",
    origin="a review of the reference, which had it so where the keys belong to different coordinators",
    node_keys=_TakesAnotherKey,
)

ONE_KEY_SERVED = pair(
    "one-key-served",
    breaks={"TXKEY-15": Symptom(what="^given to task four$", expected="^a greater epoch", seen="^no answer ")},
    story="The timer looks at those who wait with the key of the first one, and the others are never answered.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_ServesOneKey,
)

ALL_WHO_WAIT_DROPPED = Defect(
    name="key-all-who-wait-dropped",
    breaks={"TXKEY-15": Symptom(what="^given to task three$", expected="^a greater epoch", seen="^no answer ")},
    story="A deletion drops whoever waits at its coordinator, also with other keys, and they are never answered.",
    origin="textbook: a list that is emptied where one entry should be removed",
    parts=Parts(transaction_keys=_DropsAllWhoWait, network=SlowerNetwork),
)
"""Seen where there is one coordinator; of several, two keys have one each."""

WAITERS_FOUND_BY_NAME = Defect(
    name="key-waiters-found-by-name",
    breaks={"TXKEY-16": Symptom(what="^given to task two$", expected="^a greater epoch", seen="^no answer ")},
    story="A connect that waits is dropped when another owner connects with a key of that name, and is never answered.",
    origin="a review of the suite, which did not look there",
    parts=Parts(transaction_keys=_FindsWaitersByName, network=SlowerNetwork),
)
"""Seen where there is one coordinator; of several, the keys of two owners have one each."""

AMPERSANDS_TAKEN = pair(
    "ampersands-taken",
    breaks={"TXKEY-17": _ALLOWED},
    story="A key may have an ampersand: only the official client refuses it.",
    origin="the proposal's text, O17: the client's builder forbids it",
    node_keys=_TakesAmpersands,
)

EMPTY_IS_NONE = pair(
    "empty-is-none",
    breaks={"TXKEY-17": _ALLOWED},
    story="A client with an empty key is taken for one without a key, and believes that it fences.",
    origin="textbook: a value where presence decides",
    node_keys=_TakesEmptyForNone,
)

LONG_KEYS_CUT = pair(
    "long-keys-cut",
    breaks={"TXKEY-17": _ALLOWED},
    story=f"Of a long key the first {_LONGEST} bytes count, so that two long keys are one.",
    origin="textbook: cut where it should be refused",
    node_keys=_CutsLongKeys,
)

ONE_BYTE_MORE_TAKEN = pair(
    "one-byte-more-taken",
    breaks={"TXKEY-17": _ALLOWED},
    story="A key may have one byte more than is allowed.",
    origin="textbook: a comparison that is off by one",
    node_keys=_TakesOneMore,
)

OTHER_BYTES_LEFT_OUT = pair(
    "other-bytes-left-out",
    breaks={"TXKEY-17": _ALLOWED},
    story="Bytes of a key that are no UTF-8 are left out, so that different keys are one.",
    origin="textbook: a decoder that is told to overlook errors",
    node_keys=_ReplacesWhatIsNotText,
)

JOINED_WITH_AMPERSAND = pair(
    "joined-with-ampersand",
    breaks={"TXKEY-18": _NOT_FOUND},
    story="Owner and key are joined with an ampersand, and taken apart at the first one there is.",
    origin="the proposal's text, O15",
    node_keys=_JoinsThem,
)

OWNERS_TRIMMED = pair(
    "owners-trimmed",
    breaks={"TXKEY-18": _SHARED},
    story="An ampersand at the end of an owner's name is left out, and one owner fences the other.",
    origin="textbook: a separator that is cut off where it ends a text",
    node_keys=_TrimsOwners,
)

LAST_PART_OF_OWNERS = pair(
    "last-part-of-owners",
    breaks={"TXKEY-18": _NOT_FOUND},
    story="Of an owner's name that counts which is behind its last ampersand.",
    origin="textbook: taken apart from the end",
    node_keys=_TakesTheLastPart,
)

KEYS_MOVE = pair(
    "keys-move",
    breaks={"TXKEY-19": Symptom(what="^given to task (two|three|four)$", expected="^the coordinator of ", seen=r"^coordinator \d")},
    story="A key belongs where its hash points, also when coordinators were added: its transaction stays behind.",
    origin="the proposal's text, O19: out of its scope",
    node_keys=_MovesWithTheCount,
)

KEYS_BALANCED = pair(
    "keys-balanced",
    breaks={"TXKEY-19": Symptom(what="^given to task two$", expected="^the coordinator of task one$", seen=r"^coordinator \d")},
    story="Each connect goes to the coordinator that has the fewest keys.",
    origin="every release of Apache Pulsar, whose clients spread their transactions",
    node_keys=_BalancesEachConnect,
)

BLANKS_STRIPPED = pair(
    "blanks-stripped",
    breaks={"TXKEY-15": _SHARED},
    story="Keys that differ in blanks at their ends are one key, and fence each other.",
    origin="textbook: input that is tidied up, where it is an identity",
    node_keys=_StripsBlanks,
)

BEGINS_BESIDE_THE_KEY = pair(
    "begins-beside-the-key",
    breaks={"TXKEY-19": Symptom(what="^answer to a new transaction$", expected="^a refusal$", seen="^success$")},
    story="On the connection of a key another coordinator begins transactions as well, which have no key, and which nobody fences.",
    origin="a review of the suite, which did not look there; clients that spread their transactions over all coordinators",
    node_keys=_BeginsBesideTheKey,
)

ANSWERED_IN_THEIR_ORDER = Defect(
    name="key-answered-in-their-order",
    breaks={"TXKEY-15": Symptom(what="^given to task four$", expected="^a greater epoch", seen="^no answer ")},
    story="A coordinator answers connects in the order in which they came, so that one participant that is away holds up all keys.",
    origin="a review of the suite, in which all waited for the same second",
    parts=Parts(transaction_keys=_AnswersInTheirOrder),
)
"""Segments ask by themselves how a transaction has ended, sooner than clients lose patience."""
