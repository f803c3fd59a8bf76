"""The acts of PIP-31: transactions of two coordinators, producers and topics, subscriptions of four kinds, ends, faults and timeouts.

The model has what clients were answered. Where the proposal leaves a choice, such as a cumulative acknowledgement over messages that
another transaction holds, the model has no answer, and the lines state only what holds in either case.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.contract.evidence import Violation
from fencepost.steps.pulsar.vocabulary import shown, values_shown

from . import pip31_acknowledging, pip31_consuming, pip31_ending, pip31_episodes, pip31_topics, pip31_writing
from .act import Act, ActLine, Phase, Table, given, kinds_of, then
from .pip31_acknowledging import LATE
from .pip31_consuming import READER, is_plain, received
from .pip31_ending import NUMBERS, end, let_go
from .pip31_model import BATCH, GONE, INPUT, INPUTS, KINDS, MESSAGES, Pip31, Pip31Subscription, Pip31Topic, narrowest, rare
from .pip31_topics import compacted, read
from .pip31_writing import BUSY, DEDUPLICATED, KEYED, TOPICS, TRANSACTIONS

_READERS, _LEFT = re.compile("readers of ([a-z]+) see "), re.compile('subscription "([a-z]+)" has ')
_OF_READERS, _OF_CONSUMERS = ("PIP31-01", "PIP31-05", "PIP31-08", "PIP31-47"), ("PIP31-59", "PIP31-86", "PIP31-93")
"""Requirements that a line names where nothing narrower is known."""
_POLICIES = {DEDUPLICATED: " deduplicated", KEYED: " letter-keyed"}


def _opens(used: frozenset[str]) -> list[ActLine]:
    made = [f'the{_POLICIES.get(topic, "")} topic "{topic}"' for topic in TOPICS if topic in used]
    readers = [name for name in KINDS if name in used]
    if readers or INPUTS in used:
        made.append(f'the topic "{INPUTS}" with {shown(INPUT)}')
        made.append(f"a batch of {shown(BATCH)} has been written to {INPUTS}")
        made += [f'the consumer of {KINDS[name]} subscription "{name}" has received {shown(MESSAGES)} from {INPUTS}' for name in readers]
    return [given(text, BUSY) for text in made]


def _closes(model: Pip31) -> list[ActLine]:
    lines = [line for name, one in model.transactions.items() if one.is_held_up for line in let_go(model, name)]
    for name, one in list(model.transactions.items()):
        if one.is_open:
            lines += end(model, name, "commits")
    looked_at = [one for one in model.subscriptions.values() if one.is_used and not one.is_removed and is_plain(model, one)]
    lines += [line for one in looked_at if not one.is_reader or one.is_exact for line in received(model, one, unasked=True)]
    lines += [line for name in model.topics for line in _look_at_topic(model, name)]
    lines += [line for one in looked_at if not one.is_reader for line in _look_at_subscription(model, one)]
    return lines


def _has_lost_an_answer(model: Pip31) -> bool:
    """Whether an end was not answered: what "agrees with the answers" is not known then, whichever transaction that was."""
    return any(one.is_answer_lost for one in model.transactions.values())


def _look_at_topic(model: Pip31, name: str) -> list[ActLine]:
    one = model.topics[name]
    if not one.is_used:
        return []
    if one.is_contested:
        are_answered = all(entry.transaction and not entry.transaction.is_answer_lost for entry in one.entries)
        is_judged = are_answered and not _has_lost_an_answer(model) and not any(other.topic == name for other in model.producers.values())
        return [then(f"{name} agrees with the answers", "PIP31-74")] if is_judged and not one.strays_at else []
    if one.strays_at or one.is_terminated:
        behind = [entry.value for entry in one.in_force if entry.written_at > one.strays_at]
        why = narrowest(["PIP31-147", *one.whys])
        return [then(f'readers of {name} get as far as "{behind[-1]}"', why)] if behind else []
    lines = read(model, name)
    if one.is_compacted:
        lines += compacted(one, name)
    why = "PIP31-33" if model.crashed_at else "PIP31-16"
    ended = [other for other in model.transactions.values() if name in other.topics]
    return [*lines, *(then(f"nothing of {other.name} is pending in {name}", narrowest(one.whys) if one.whys else why) for other in ended)]


def _look_at_subscription(model: Pip31, one: Pip31Subscription) -> list[ActLine]:
    parts = [name for name, other in model.transactions.items() if one.name in other.subscriptions]
    why = narrowest(one.whys) if one.whys else "PIP31-33" if model.crashed_at else "PIP31-20"
    pending = [then(f'nothing of {name} is pending in "{one.name}"', why) for name in parts[:1]]
    lines = _left(model, one)
    return [*lines, *pending] if "PIP31-89" in one.whys else [*pending, *lines]


def _left(model: Pip31, one: Pip31Subscription) -> list[ActLine]:
    """The line about the messages that are left."""
    is_notified = set(one.states) == set(one.received) and not _has_lost_an_answer(model)
    if not one.is_clear and is_notified and not one.is_odd and "PIP31-64" not in one.whys:
        return [then(f'"{one.name}" agrees with the answers', narrowest(one.whys) if one.whys else "PIP31-74")]
    if not one.is_clear and not one.free:
        return []
    of_topic = model.topics[one.topic].whys if one.topic in model.topics else ()
    usual = "PIP31-86" if model.crashed_at else "PIP31-59" if one.kind == "shared" else "PIP31-93"
    why = narrowest(one.whys) if one.whys else rare(of_topic, usual)
    return [then(f'subscription "{one.name}" has{"" if one.is_clear else " at least"} {shown(one.free)} left', why)]


def _means(model: Pip31, line: ActLine, violation: Violation) -> str:
    """An unexpected or missing message shows the violated requirement more precisely than the line that observed it."""
    seen = values_shown(violation.mismatch.seen)
    if seen is None:
        return line.requirement
    if line.requirement in _OF_READERS and (found := _READERS.match(line.text)) and found[1] in model.topics:
        return _meaning_for_readers(model.topics[found[1]], line, seen)
    if line.requirement in _OF_CONSUMERS and (found := _LEFT.match(line.text)) and found[1] in model.subscriptions:
        return _meaning_of_left(model, model.subscriptions[found[1]], line, seen)
    return line.requirement


def _meaning_for_readers(one: Pip31Topic, line: ActLine, seen: Sequence[str]) -> str:
    due, owners = one.values(), {entry.value: entry.transaction for entry in one.entries}
    if too_much := [owner for value in seen if value not in due and (owner := owners.get(value))]:
        return "PIP31-05" if too_much[0].is_open else "PIP31-02"
    if len(set(seen)) < len(seen):
        return "PIP31-36"
    if not set(due) <= set(seen):
        return line.requirement
    return "PIP31-53" if all(owners.values()) else "PIP31-52"


def _meaning_of_left(model: Pip31, one: Pip31Subscription, line: ActLine, seen: Sequence[str]) -> str:
    if too_much := [value for value in seen if one.states.get(value) == GONE]:
        return "PIP31-86" if model.crashed_at else "PIP31-83" if too_much[0] in one.covered else "PIP31-59"
    if missing := [value for value in one.free if value not in seen]:
        if missing[0] in one.given_back:
            return "PIP31-86" if model.crashed_at else "PIP31-84" if missing[0] in one.covered else "PIP31-58"
        return "PIP31-65"
    return line.requirement


def _acts() -> tuple[Act[Pip31], ...]:
    parts = (pip31_writing, pip31_ending, pip31_acknowledging, pip31_consuming, pip31_topics, pip31_episodes)
    return tuple(act for part in parts for act in part.acts())


_KEPT = (
    *({topic} for topic in TOPICS),
    *({name} for name in (*KINDS, "workers", "auditors")),
    {"orders", "watchers"},
    {"orders", "followers"},
    {"orders", READER},
    {"payments", "payers", "workers"},
    {"orders", "payments"},
    {"orders", "workers"},
    {NUMBERS},
)
"""Sets of topics and subscriptions to which a sequence may keep; most acts are possible on two of the subscriptions."""
_ALL = frozenset({*TOPICS, *KINDS, *LATE, READER, NUMBERS})

_SETUPS = {"watchers join orders": 2, "a reader of orders": 1, "A adds two topics": 1, "A adds two subscriptions": 1, "A begins": 1}
_HOLDS = {
    "A writes to orders": 4,
    "A writes a batch to orders": 1,
    "A writes to both keys of states": 1,
    "P sends one to payments in A": 1,
    "A acknowledges i1 for workers": 5,
    "A acknowledges everything up to i1 for auditors": 3,
    "i1 is acknowledged for workers plainly": 1,
    "everything up to i2 is acknowledged for auditors plainly": 1,
    "a plain write to orders": 1,
}
"""What transactions hold afterwards, and what is plain next to it."""
_UPSETS = {"a crash": 3, "orders is unloaded": 3, "another consumer takes over workers": 1, "S times out": 1}
_ENDS = {"A commits": 5, "A commits, held up": 1, "A commits, and a crash comes": 1, "the end of A is let go": 1}
_FOLLOWS = {
    "A writes to orders late": 3,
    "A acknowledges i1 for workers late": 1,
    "A acknowledges i1 for workers": 2,
    "A acknowledges everything up to i1 for auditors": 1,
    "A commits again": 3,
    "redelivery for workers": 1,
    "redelivery of i1 for workers": 1,
    "workers go back to i1": 1,
    "another consumer takes over workers and is looked at": 1,
    "a look at workers": 2,
    "a look at orders": 2,
    "P sends its last again": 1,
    "watchers join orders": 1,
}
"""What clients do about that, in time or late."""


def phases(acts: Sequence[Act[Any]], more_upsets: Mapping[str, int]) -> tuple[Phase, ...]:
    """What is held when something happens, and ended then or before; acts of some kinds come more often."""
    upsets, other = Phase(kinds_of(acts, {**_UPSETS, **more_upsets}), 0, 1), Phase((), 0, 1)
    there = {act.name for act in acts}
    cases = Phase(tuple(dict.fromkeys(act.says for act in acts if act.is_case)), 0, 2)
    follows = Phase(kinds_of(acts, {name: times for name, times in _FOLLOWS.items() if name in there}), 0, 1)
    holds, ends = Phase(kinds_of(acts, _HOLDS), 1, 3), Phase(kinds_of(acts, _ENDS), 0, 2)
    return (Phase(kinds_of(acts, _SETUPS), 0, 1), holds, upsets, follows, ends, upsets, follows, cases, other)


_ACTS = _acts()

TABLE = Table(
    "pip31",
    Pip31,
    _ACTS,
    _opens,
    _closes,
    _means,
    (frozenset(), *(_ALL - kept for kept in _KEPT)),
    (TRANSACTIONS,),
    phases=phases(_ACTS, {"states is compacted": 1}),
)
