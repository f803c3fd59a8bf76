"""PIP-460's own sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself.

A segment is called by a name of the scenario, as a topic is: `left has been split into low and high`. A scalable topic has a name too.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from fencepost.steps.pulsar.vocabulary import TYPES, names
from fencepost.steps.sentence import ValueType, Vocabulary, choice, listed, number, phrases, quoted, text, unless

_SEGMENT = text("segment", "[a-z]+", "a segment of a scalable topic, by its name in the scenario")
_FAMILY = listed("family", _SEGMENT, "segments of one scalable topic", " and ")
_MEMBER = text("member", "[a-z]+", "a consumer of a whole topic, with separate connections")
_MEMBERS = listed("members", _MEMBER, "consumers of a whole topic", " and ")
_KEY = quoted("key", "the key of a message")
_MOMENT = choice(
    "moment",
    *("after-subscriptions", "after-children", "before-terminate", "after-terminate", "after-layout", "after-told"),
    meaning="a point of a change of a layout, as PIP-468's steps have it",
)
_SPLIT, _MERGE = "a split of ", "a merge of "


@dataclass(frozen=True)
class SplitOrMerge:
    """A change of a layout: the split of one segment, or the merge of several."""

    is_split: bool
    segments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_SPLIT if self.is_split else _MERGE}{_FAMILY.render(self.segments)}"


@dataclass(frozen=True)
class Tried:
    """Asked for, whatever came of it."""


@dataclass(frozen=True)
class CutShort:
    """Ended by a crash at this point."""

    moment: str


@dataclass(frozen=True)
class CameOf:
    """The children of these segments."""

    parents: tuple[str, ...]


@dataclass(frozen=True)
class SegmentsOf:
    """The segments that these consumers are assigned."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class OneKey:
    """The same key for all messages."""

    key: str


@dataclass(frozen=True)
class SeveralKeys:
    """Keys that differ, or some of them."""

    how: str


Attempt: TypeAlias = Tried | CutShort
Origin: TypeAlias = CameOf | SegmentsOf
Keys: TypeAlias = OneKey | SeveralKeys


def _change(written: str) -> SplitOrMerge:
    is_split = written.startswith(_SPLIT)
    return SplitOrMerge(is_split, _FAMILY.parse(written.removeprefix(_SPLIT if is_split else _MERGE)))


PIP460 = Vocabulary(
    "pip460",
    (
        *TYPES,
        names("segment", "segments", "segments of one scalable topic, the lowest hashes first", '"[a-z]+"', '"{}"'),
        _SEGMENT,
        _FAMILY,
        ValueType(
            "change",
            f"{_SPLIT}[a-z]+|{_MERGE}[a-z]+(?: and [a-z]+)+",
            "a change of a layout, which may be impossible",
            _change,
            str,
        ),
        number("times", "how often"),
        choice(
            "absence",
            "a scalable topic that does not exist",
            "the topic by a name that has no namespace",
            "a segment that does not exist",
            "the first segment by hashes that it has not",
            "the first segment by its number alone",
            "the first segment by decimal hashes",
            "the lower child that a split of the first segment would have",
            meaning="what a name means that is in use nowhere",
        ),
        choice(
            "traffic", "while it is written to", meaning="a producer sends without waiting for receipts, and goes on where the layout says"
        ),
        choice("halves", "half each", meaning="the first child has the lower half of the hashes, and the lower number"),
        choice(
            "law",
            "has each hash in one active segment",
            "has segments whose numbers no other one had",
            meaning="what holds for the layout at each epoch that was seen",
        ),
        choice("found", "is", "is not", meaning="whether it is there"),
        choice("opening", "opens a producer of", "subscribes to", meaning="PRODUCER or SUBSCRIBE, once"),
        choice("domain", "as a persistent topic", meaning="by the name that it would have if it were not scalable"),
        choice("apart", "at a broker that has it not", meaning="another one says that it has it"),
        text("watcher", "[A-Z]", "a client with a separate connection, which watches layouts"),
        choice("elsewhere", "at a broker that has no controller of it", meaning="another one changes the layout"),
        choice(
            "trouble",
            *("meets another version at its next change", "is not written at its next change"),
            "is read as it was before its last change for some seconds",
            meaning="what the metadata store answers, once or for a while",
        ),
        choice("the_namespace", "the namespace of", meaning="its topics, and not the layout of one"),
        choice("sent", "growing epochs", "nothing in the watch that it closed", meaning="what its last watch, or the closed one, receives"),
        choice("period", "retention of sealed segments", "grace period", meaning="of segments, or of a consumer that is cut off"),
        choice(
            "controlling",
            *("has crashed", "has been replaced while it lives", "is another broker than the one that administrators ask"),
            meaning="what has become of the broker that assigns segments",
        ),
        phrases("attempt", (_MOMENT,), "how far a change has come", {"tried": Tried, "cut short {moment}": CutShort}),
        phrases(
            "origin",
            (replace(_FAMILY, name="parents"), _MEMBERS),
            "segments that get names: the children of others, or those that consumers are assigned",
            {"came of {parents}": CameOf, "are those of {members}": SegmentsOf},
        ),
        phrases(
            "keys",
            (_KEY, choice("several", "a key each", "a key for each pair", "these keys", meaning="several keys")),
            "the keys of messages",
            {"key {key}": OneKey, "{how:several}": SeveralKeys},
        ),
        choice("parting", "closed its watch", "lost its connection", meaning="how a watch ends"),
        _MEMBER,
        _MEMBERS,
        quoted("consumer_name", "the name that a consumer of a whole topic registers under"),
        quoted("group", "the subscription that consumers of a whole topic share"),
        choice(
            "role",
            "as a queue consumer",
            "with checkpoints",
            "as a checkpoint consumer",
            meaning="a consumer that registers nowhere, or keeps its positions itself, and no stream consumer",
        ),
        choice(
            "neighbouring",
            "in a namespace whose name begins with that of others",
            "under a name that begins with that of the first one",
            meaning="a separate namespace next to `public/default`; or a topic next to the scenario's first",
        ),
        choice("deduplicated", "deduplicated", meaning="the topic's namespace has its brokers recognise what producers repeat"),
        text("sender", "[a-z]+", "a producer with a separate name"),
        number("sequence", "a sequence id"),
        choice("nearly", "but for its end", meaning="most of that time, and not all of it"),
        choice("unacknowledged", "unacknowledged", meaning="nothing is acknowledged"),
        choice(
            "undisturbed", "and was notified of no others", "perhaps among others", meaning="whether others are excluded, since the When"
        ),
        choice("distribution", "once", "in turn", meaning="to one of them, or to each in its turn"),
        unless("nothing", (), "assigned", _FAMILY, "segments of one scalable topic, or none"),
        choice("former", "from its first connection", meaning="of two that it has"),
        choice("registered", "registered for", "unregistered from", meaning="by an administrator"),
        ValueType(
            "namespace",
            "its namespace|the namespace of [a-z]+",
            "its own, or that of another topic",
            lambda written: None if written == "its namespace" else written.removeprefix("the namespace of "),
            lambda topic: "its namespace" if topic is None else f"the namespace of {topic}",
        ),
        choice("place", "where its segments are", "who its controller is", meaning="which brokers it names"),
        ValueType(
            "notified",
            "it|client [A-Z]",
            "the client that has just asked, or one by its name",
            lambda written: None if written == "it" else written.removeprefix("client "),
            lambda name: "it" if name is None else f"client {name}",
        ),
        ValueType(
            "waiting",
            'it|the consumer of "[a-z]+"',
            "the consumer that has just subscribed, or that of a subscription",
            lambda written: None if written == "it" else written.removeprefix("the consumer of ").strip('"'),
            lambda name: "it" if name is None else f'the consumer of "{name}"',
        ),
        choice("at_once", "first of all", meaning="in the answer to its request"),
        choice("families", "with parents and children", meaning="of each segment, the numbers of both"),
    ),
)
