"""The types of the values that Pulsar's sentences name, and the vocabulary itself.

A transaction is called A, B or C, a topic by its name (orders) and a subscription by its name in quotation marks ("workers").
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus, SubType, TxnAction
from fencepost.steps.sentence import ValueType, Vocabulary, choice, listed, number, phrases, quoted, text, unless

from .sentence_values import (
    AckFor,
    Acknowledged,
    ActiveOf,
    AfterRetention,
    AfterTimeout,
    AMonthLater,
    ConsumerOf,
    EndsOf,
    EventIs,
    HeaderConflict,
    ImpossibleForAll,
    LastMessage,
    LongerName,
    MissingSubscription,
    MissingTopic,
    NewNamespace,
    NewNamespaceWithName,
    Participant,
    PartitionsOfOne,
    PlainMessages,
    PowerCut,
    PowerCutWhileOpen,
    RefusedForGood,
    RequestsOfOne,
    Said,
    SegmentsOfOne,
    StaleHeader,
)

_TRANSACTION = text("transaction", "[A-Z]", "a transaction of the scenario")
_TOPIC = text("topic", "[a-z]+", "a topic of the scenario")
_SUBSCRIPTION = quoted("subscription", "a subscription of the scenario")
_VALUE = quoted("value", "the payload of a message")
_VALUES = listed("values", _VALUE, "payloads, in their order")
_PARTICIPANT_PATTERN = r'[a-z]+|"[a-z]+"'


def participant(written: str) -> Participant:
    """The topic or subscription with this name in a sentence."""
    return Participant(written.strip('"'), written.startswith('"'))


def shown(values: Iterable[str]) -> str:
    """Payloads as a step names them."""
    return _CONTENT.render(tuple(values))


def values_shown(written: str) -> tuple[str, ...] | None:
    """The payloads that `shown` has written; None for any other text."""
    return _CONTENT.parse(written) if re.fullmatch(_CONTENT.pattern, written) else None


def names(noun: str, name: str, meaning: str, pattern: str, show: str) -> ValueType[tuple[str, ...]]:
    """`noun A`, `nouns A and B` or `nouns A, B and C`."""

    def render(names: tuple[str, ...]) -> str:
        shown = [show.format(one) for one in names]
        return f"{noun} {shown[0]}" if len(shown) == 1 else f"{noun}s {', '.join(shown[:-1])} and {shown[-1]}"

    return ValueType(
        name,
        f"{noun} {pattern}|{noun}s {pattern}(?:, {pattern})* and {pattern}",
        meaning,
        lambda written: tuple(found.strip('"') for found in re.findall(pattern, written.partition(" ")[2])),
        render,
    )


def _end(name: str, commit: str, abort: str) -> ValueType[TxnAction]:
    """An end of a transaction in one grammatical form."""
    words = {commit: TxnAction.COMMIT, abort: TxnAction.ABORT}
    return ValueType(
        name, f"{commit}|{abort}", "how a transaction ends", words.__getitem__, {end: word for word, end in words.items()}.__getitem__
    )


def _parse_acknowledged(written: str) -> Acknowledged:
    return Acknowledged(_VALUES.parse(written[written.index('"') :]), written.startswith("everything"))


def _render_acknowledged(messages: Acknowledged) -> str:
    return ("everything up to " if messages.is_cumulative else "") + _VALUES.render(messages.values)


def _parse_plain(written: str) -> PlainMessages:
    return PlainMessages(_VALUES.parse(written[written.index('"') :]), written.startswith("a batch"))


def _render_plain(message: PlainMessages) -> str:
    return ("a batch of " if message.is_batch else "") + _VALUES.render(message.values)


_CONTENT = unless("nothing", (), "content", _VALUES, "payloads, in their order, or nothing")
_ERROR = text("error", "[A-Z][A-Za-z]+", "an error of PulsarApi.proto's ServerError")
_PARTICIPANT = ValueType("participant", _PARTICIPANT_PATTERN, "a topic, or a subscription in quotation marks", participant, str)

EACH = "each of them"
"""Stands for all transactions of a scenario."""

TYPES: tuple[ValueType[Any], ...] = (
    _TRANSACTION,
    names("transaction", "transactions", "transactions, which are begun in this order", r"[A-Z]\b", "{}"),
    _TOPIC,
    names("topic", "topics", "topics that the scenario makes", '"[a-z]+"', '"{}"'),
    choice(
        "policy",
        "deduplicated",
        "keyed",
        "letter-keyed",
        "classic",
        "annotated",
        meaning="deduplicated: the topic's namespace has its brokers recognise what producers repeat; keyed: all messages have one key; "
        "letter-keyed: the key of a message is its first letter; classic: of the domain `persistent`, "
        "whose transactions are those of PIP-31; annotated: each message has two properties and an event time, and readers see it "
        "with them",
    ),
    _SUBSCRIPTION,
    _PARTICIPANT,
    listed("participants", _PARTICIPANT, "topics, or subscriptions", " and "),
    _VALUE,
    _VALUES,
    _CONTENT,
    ValueType(
        "messages",
        f"(?:everything up to {_VALUE.pattern})|{_VALUES.pattern}",
        "messages to acknowledge, one by one or cumulatively",
        _parse_acknowledged,
        _render_acknowledged,
    ),
    ValueType(
        "plain",
        f"{_VALUE.pattern}|a batch of {_VALUES.pattern}",
        "one message, or a batch of several in one entry",
        _parse_plain,
        _render_plain,
    ),
    _end("end", "commit", "abort"),
    _end("ends", "commits", "aborts"),
    _end("ended", "committed", "aborted"),
    ValueType(
        "status", "|".join(ReportedStatus.__members__), "a state of a transaction", ReportedStatus.__getitem__, lambda status: status.name
    ),
    choice(
        "time_out",
        "short",
        "fractional",
        "moderate",
        "maximal",
        meaning="short: enough for a few requests; fractional: the same, and no whole number of seconds; moderate: enough for some dozen; "
        "these pass while a scenario waits; maximal: the longest that the coordinator accepts, of all that a signed number of 64 bits can "
        "have in milliseconds, ten years, and a day",
    ),
    ValueType(
        "subscription_type",
        "shared|exclusive|failover|key-shared",
        "how consumers share a subscription",
        lambda written: SubType[written.upper().replace("-", "_")],
        lambda kind: kind.name.lower().replace("_", "-"),
    ),
    listed("errors", _ERROR, "the errors of which one is answered", " or "),
    number("count", "how many"),
    text("progress", "begun|committed|written to [a-z]+", "how far transactions have come"),
    choice("unknown", "an unknown transaction", "a transaction of an unknown coordinator", meaning="what does not exist"),
    phrases(
        "asked",
        (_TRANSACTION, _SUBSCRIPTION),
        "requests whose answers are waited for",
        {
            "each of its requests": RequestsOfOne,
            "the acknowledgement for {subscription}": AckFor,
            "each request for the end of {transaction}": EndsOf,
        },
    ),
    choice("not_added", "which it has not added", meaning="the topic or subscription is no participant of the transaction"),
    phrases(
        "where",
        (replace(_TOPIC, name="namesake"), quoted("ending", "what follows a name")),
        "where the topics are; by the name of another topic: with its local name, or one that begins with it, in the same namespace",
        {
            "by the name of {namesake} followed by {ending}": LongerName,
            "in another namespace, by the name of {namesake}": NewNamespaceWithName,
            "in another namespace": NewNamespace,
            "as partitions of one topic": PartitionsOfOne,
            "as segments of one topic": SegmentsOfOne,
        },
    ),
    choice("kind", "classic", meaning="of PIP-31's coordinator, where the topics of the scenario are not"),
    choice("crashed", "crashed and", meaning="a power cut, right after the answer to the step before"),
    phrases(
        "crashes",
        (_TRANSACTION,),
        "a power cut; a transaction that is named is open until then, and no client ends it afterwards",
        {"crashes and": PowerCut, "crashes while {transaction} is OPEN and": PowerCutWhileOpen},
    ),
    choice("unnoticed", "and the first notification of it is lost", meaning="the event that would notify a participant of the end"),
    choice(
        "unnoted", "and the store lacks the note of it", meaning="the segment keeps the operation record until it tries to note it again"
    ),
    choice("before_another", "and a later transaction behind it", meaning="a transaction without messages, which is committed after that"),
    choice("requester", "consumer", "new client", meaning="a client with a consumer, or one that looks up the topic"),
    phrases(
        "finally_",
        (),
        "as the client's fault, or so that it does not retry",
        {"as something that cannot be done": ImpossibleForAll, "for good": RefusedForGood},
    ),
    choice("in_one_go", "in one go", meaning="all are sent before the first receipt is read"),
    choice("take_part", "take part", "does not take part", meaning="whether the transaction has them as participants"),
    phrases(
        "late_start",
        (text("transaction", "[A-Z]", "a transaction of the scenario"),),
        "how long after its crash the system starts",
        {
            "after the timeout of {transaction}": AfterTimeout,
            "after the timeout and the retention of {transaction}": AfterRetention,
            "a month later": AMonthLater,
        },
    ),
    choice(
        "order", "in some order", "last", meaning="in an order that is the topic's affair, or as the last messages that a reader receives"
    ),
    phrases(
        "news",
        (
            choice(
                "saying",
                *("that there is no more", "nothing of an end", "nothing that it did not ask for", "at once of a last message"),
                meaning="news that name no message",
            ),
            _CONTENT,
        ),
        "what a broker sends to a consumer",
        {"{news:saying}": Said, "that {content} is the last message": LastMessage},
    ),
    phrases(
        "missing",
        (_TOPIC, _SUBSCRIPTION),
        "what should not exist",
        {"topic {topic}": MissingTopic, "subscription {subscription}": MissingSubscription},
    ),
    phrases(
        "leaving",
        (_SUBSCRIPTION, replace(_SUBSCRIPTION, name="other")),
        "a consumer, or the one of two that was last notified that it is active",
        {"consumer of {subscription}": ConsumerOf, "active one of {subscription} and {other}": ActiveOf},
    ),
    choice("compacted", "compacted", meaning="as a subscription receives it that asks for the compacted topic"),
    choice("bound", "at least", meaning="among others, or alone"),
    choice(
        "extent",
        "and nothing else",
        "and perhaps others",
        "before any other write",
        "and no more unasked",
        "for the first time",
        "once more",
        "for a while",
        meaning="what else may come, until when, and with which redelivery count; a while is long enough for a broker that sends later",
    ),
    choice("reader", "reader", "consumer of", meaning="whether its subscription is durable and shared"),
    choice("recipient", "one", "the active one", meaning="which of two consumers receives"),
    choice("removed", "removed", "tried to remove while it had other consumers", meaning="UNSUBSCRIBE, and whether it must succeed"),
    choice("unasked", "without asking for an answer", meaning="the request has no id"),
    choice("after_loss", "when the connection of the one that is there is lost", meaning="it reconnects"),
    text("which", f"[A-Z]|{EACH}", "a transaction, or all transactions of the scenario"),
    choice(
        "point",
        "before-header-cas",
        "after-header-cas",
        "after-event",
        "after-op-record",
        "after-append",
        "after-cursor-apply",
        "before-op-delete",
        "during-collection",
        "after-subscriptions",
        "after-children",
        "before-terminate",
        "after-terminate",
        "after-layout",
        "after-told",
        "after-epoch-persisted",
        "before-abort",
        "after-abort",
        "after-answer",
        "before-decision-logged",
        "after-decision-logged",
        meaning="a point of the broker's code: PIP-471's steps, PIP-468's changes of a layout, or where a coordinator connects a key or "
        "decides an end",
    ),
    choice("failure", "and does not write it", "and has written it", meaning="what became of a write that the store did not answer"),
    choice(
        "store_request",
        "write of an operation record",
        "write of a second operation record",
        "note of an abort",
        "change of a header",
        "look at a header",
        "note of what is decided",
        "write for an index",
        "event of an end",
        "change of a layout",
        meaning="what a broker asks of the metadata store: about a transaction's header or records, a segment's note of what is aborted "
        "or decided up to where, an entry that stands for an index, the event by which participants learn of an end, or a layout",
    ),
    phrases(
        "mishap",
        (
            choice("event", "event of an end", "event of a change of a layout", meaning="what the store notifies a watch of"),
            choice("loss", "lost", "late", "delivered twice", meaning="what becomes of a notification"),
        ),
        "what befalls a notification, a write or a look",
        {
            "{event} is {loss}": EventIs,
            "change of a header meets another version": HeaderConflict,
            "look at a header sees it as it was before its last change": StaleHeader,
        },
    ),
)

PULSAR = Vocabulary("pulsar", TYPES)
