"""Acts of PIP-31 about coordinators: participants are added, and ends are requested once, again, concurrently, or by no client."""

from collections.abc import Callable, Iterator

from .act import Act, ActLine, always, given, then, when
from .pip31_model import Pip31, narrowest
from .pip31_writing import BUSY, OTHER, TOPICS, TRANSACTIONS, UNKNOWN, begun, may_write, needs_of, takes_part, unknown, why_on

SHORT, MODERATE = "S", "M"
"""Transactions that no client ends in time."""
ENDS = ("commits", "aborts")
END = {"commits": "commit", "aborts": "abort"}
PAST = {"commits": "committed", "aborts": "aborted"}
_GOING = {"commits": "COMMITTING", "aborts": "ABORTING"}
_REPEATED = {"commits": "PIP31-24", "aborts": "PIP31-25"}
_OPPOSITE = {"commits": "PIP31-26", "aborts": "PIP31-27"}
NUMBERS = "numbers"
"""Stands for the acts about transaction numbers, or about an unknown transaction, where a sequence may leave them out."""
TIMED_OUT, _IDS, _RACERS = "timed out", "ids", 16
MOST_TIMED_OUT, TIMED_CASE = 2, "timed case"


def decision(committed: bool | None) -> str:
    """An end in the words of its request."""
    return "commits" if committed else "aborts"


def settled(model: Pip31, name: str) -> list[ActLine]:
    """The line that waits until the end has reached all participants."""
    committed = model.transactions[name].committed
    why = "PIP31-28" if model.has_crashed_in(name) else "PIP31-34"
    return [then(f"{name} is {PAST[decision(committed)].upper()}", why)]


def end(model: Pip31, name: str, how: str) -> list[ActLine]:
    """The lines of an end that is answered and awaited."""
    one = model.transactions[name]
    why = "PIP31-32" if model.has_crashed_in(name) else BUSY if one.has_part else "PIP31-73"
    model.decide(name, how == "commits")
    asked = when(f"{name} {how}", why, f"{name} has {PAST[how]}")
    return [asked, then("it is done", why), *settled(model, name)]


def _end(model: Pip31, name: str, how: str) -> list[ActLine]:
    return [*begun(model, name), *end(model, name, how)]


def _end_again(model: Pip31, name: str, how: str) -> list[ActLine]:
    one = model.transactions[name]
    is_same = decision(one.committed) == how
    one.is_answer_lost = True
    why = "PIP31-42" if one.timed_out and not is_same else _REPEATED[how] if is_same else _OPPOSITE[how]
    if one.is_held_up and is_same:
        why = "PIP31-23" if how == "commits" else why
    answer = "it is refused" if not is_same else "it is done" if one.is_held_up else "it is done, or refused with TransactionNotFound"
    lines = [when(f"{name} {how}", why, f"{name} has tried to {END[how]}"), then(answer, why)]
    if one.is_held_up:
        lines.append(then(f"{name} is {_GOING[decision(one.committed)]}", why))
    return lines


def _hold_up(model: Pip31, name: str, how: str) -> list[ActLine]:
    lines = begun(model, name)
    model.decide(name, how == "commits", held=True)
    return [*lines, given(f"the {END[how]} of {name} is incomplete", "PIP31-29")]


def let_go(model: Pip31, name: str) -> list[ActLine]:
    """The lines that complete a blocked end."""
    how = decision(model.transactions[name].committed)
    why = "PIP31-88"
    if model.crashed_at > model.transactions[name].decided_at:
        why = "PIP31-30" if how == "commits" else "PIP31-31"
    model.let_go(name)
    went = f"{name} went from {_GOING[how]} to {PAST[how].upper()}"
    return [when(f"the end of {name} is held up no longer", why), then(went, why)]


def _end_twice(model: Pip31, name: str, first: str, second: str) -> list[ActLine]:
    lines = [*begun(model, name), when(f"{name} is asked to {END[first]} and to {END[second]} at the same time", "PIP31-74")]
    if first == second:
        model.decide(name, first == "commits")
        for topic in model.transactions[name].topics:
            model.topics[topic].whys.append("PIP31-91")
        return [*lines, then(f"{name} is {PAST[first].upper()}", "PIP31-91")]
    model.decide(name, None)
    return [*lines, then(f"exactly one end of {name} succeeded", "PIP31-74")]


def _crash_at_answer(model: Pip31, name: str, how: str) -> list[ActLine]:
    lines = [*begun(model, name), given(f"{name} has been asked to {END[how]}", "PIP31-28")]
    model.decide(name, how == "commits")
    model.go_down()
    return [*lines, given("the system has crashed and restarted", "PIP31-28"), then(f"{name} is {PAST[how].upper()}", "PIP31-28")]


def _notify_topic_again(model: Pip31, name: str, topic: str) -> list[ActLine]:
    how = END[decision(model.transactions[name].committed)]
    model.topics[topic].whys.append("PIP31-36" if how == "commit" else "PIP31-37")
    return [given(f"{topic} has been asked to {how} {name}", narrowest(model.topics[topic].whys))]


def _add(model: Pip31, name: str, one: str, other: str) -> list[ActLine]:
    lines = begun(model, name)
    for topic in (one, other):
        takes_part(model, name, topic)
    return [
        *lines,
        when(f"{name} adds {one} and {other}", "PIP31-18", f"{name} has added {one} and {other}"),
        then("it is done", "PIP31-18"),
    ]


_add_late = always(when("{0} adds {1}", "PIP31-17"), then("it is refused", "PIP31-17"))


def _use_unknown(model: Pip31, said: str, why: str, *_: str) -> list[ActLine]:
    return [*unknown(model), when(f"{UNKNOWN} {said}", why), then("it is refused with TransactionNotFound", why)]


def _look(model: Pip31, name: str) -> list[ActLine]:
    why = "PIP31-32" if model.has_crashed_in(name) else "PIP31-40"
    if not model.transactions[name].has_part and model.has_crashed_in(name):
        why = "PIP31-10"
    return [then(f"{name} is OPEN", why)]


_look_at_watermark = always(then("the coordinator's low watermark lies before {0}", "PIP31-157"))


def _time_out(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = _begun_short(model, name, topic)
    model.decide(name, committed=False)
    model.transactions[name].timed_out = True
    said = f"{name} is left open past its timeout"
    return [
        *lines,
        when(said, "PIP31-39", said.replace(" is left ", " has been left ")),
        then(f"{name} is ABORTED", "PIP31-39"),
        then(f"{name} was OPEN until its timeout had passed", "PIP31-40"),
    ]


def _time_out_held_up(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = _begun_short(model, name, topic)
    model.decide(name, committed=False, held=True)
    model.transactions[name].timed_out = True
    said = (f"the end of {name} is held up", f"{name} has been left open past its timeout")
    return [*lines, *(given(one, "PIP31-45") for one in said), then(f"{name} is ABORTING", "PIP31-45")]


def _time_out_and_add(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = _begun_short(model, name, topic)
    model.decide(name, committed=False)
    model.transactions[name].timed_out = True
    asked = when(f"{name} adds {topic} again and again until it is refused", "PIP31-41")
    return [*lines, asked, then("it is refused", "PIP31-41"), then(f"{name} is ABORTED", "PIP31-41")]


def _crash_before_time_out(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = _begun_short(model, name, topic, "moderate")
    model.go_down()
    model.decide(name, committed=False)
    model.transactions[name].timed_out = True
    asked = when(f"the system crashes while {name} is OPEN and restarts", "PIP31-43")
    return [*lines, asked, then(f"{name} is ABORTED", "PIP31-43")]


def _commit_past_time_out(model: Pip31, name: str, topic: str) -> list[ActLine]:
    lines = _begun_short(model, name, topic, "moderate")
    model.decide(name, committed=True, held=True)
    model.done[TIMED_OUT] += 1
    model.begin(SHORT).is_open = False
    model.transactions[SHORT].committed = False
    incomplete, past = f"the commit of {name} is incomplete", f"{SHORT} has been left open past its timeout"
    said = (incomplete, f"transaction {SHORT} with a moderate timeout", past)
    return [*lines, *(given(one, "PIP31-44") for one in said), then(f"{name} is COMMITTING", "PIP31-44")]


def _begun_short(model: Pip31, name: str, topic: str, time_out: str = "short") -> list[ActLine]:
    model.begin(name)
    model.done[TIMED_OUT] += 1
    value, why = model.new_value("x" if topic == "states" else name), why_on(model, topic, name)
    model.write(topic, [value], takes_part(model, name, topic))
    begins = given(f"transaction {name} with a {time_out} timeout", BUSY)
    return [begins, given(f'{name} has written "{value}" to {topic}', why)]


def _race_the_time_out(model: Pip31, topic: str) -> list[ActLine]:
    model.topics[topic].is_contested = True
    model.done[TIMED_OUT] += 1
    begins = given(f"{_RACERS} transactions with a moderate timeout have written to {topic}", "PIP31-75")
    asked = when("each of them is committed at about its timeout", "PIP31-75")
    return [begins, asked, then(f"{topic} agrees with the answers", "PIP31-75")]


def _begin_several(model: Pip31, _: str) -> list[ActLine]:
    model.done[_IDS] += 1
    why = "PIP31-11" if model.crashed_at else "PIP31-12"
    law = "PIP31-71" if model.done["committed ids"] and model.crashed_at else "PIP31-11"
    lines = [when("6 transactions begin at 2 clients in turn", why), then("the transaction ids are distinct", law)]
    return lines if model.done["each"] else [*lines, then("the transaction ids are ascending", "PIP31-12")]


def _commit_several(model: Pip31, _: str) -> list[ActLine]:
    model.done["committed ids"] += 1
    return [given("3 transactions have committed", BUSY)]


def _begin_at_each(model: Pip31, _: str) -> list[ActLine]:
    model.done["each"] += 1
    has_two = given("the system has 2 coordinators", BUSY)
    asked = when("a transaction begins at each coordinator", "PIP31-13")
    return [has_two, asked, then("it is done", "PIP31-13"), then("the transaction ids name the coordinator that was asked", "PIP31-13")]


def _is_decided(model: Pip31, name: str, *_: str) -> bool:
    one = model.transactions.get(name)
    return one is not None and not one.is_open and one.committed is not None


def _is_held_up(model: Pip31, name: str) -> bool:
    return name in model.transactions and model.transactions[name].is_held_up


def is_open(model: Pip31, name: str, *_: str) -> bool:
    """Whether the transaction was begun, and not ended."""
    return name in model.transactions and model.transactions[name].is_open


def _may_race(model: Pip31, name: str, *_: str) -> bool:
    """Whether the answers suffice to judge it: its topics have only what transactions wrote without a named producer."""
    if not is_open(model, name):
        return False
    one = model.transactions[name]
    entries = [entry for topic in one.topics for entry in model.topics[topic].entries]
    named = {producer.topic for producer in model.producers.values()}
    is_answered = all(entry.transaction and not entry.transaction.is_answer_lost for entry in entries)
    return is_answered and named.isdisjoint(one.topics) and not any(model.subscriptions[name].is_odd for name in one.subscriptions)


def _may_notify_again(model: Pip31, name: str, topic: str) -> bool:
    return model.is_over(name) and topic in model.transactions[name].topics and model.topics[topic].is_plain_to_read


def _may_add_late(model: Pip31, name: str, topic: str) -> bool:
    return _is_decided(model, name) and not model.topics[topic].is_terminated


def _may_add(model: Pip31, name: str, one: str, other: str) -> bool:
    return may_write(model, name, one) and may_write(model, name, other)


def _is_oldest(model: Pip31, name: str) -> bool:
    one = model.transactions.get(name)
    return one is not None and (one.is_open or one.is_held_up)


def _may_time_out(model: Pip31, name: str, topic: str) -> bool:
    is_fresh = name not in model.transactions and SHORT not in model.transactions and not model.done[TIMED_CASE]
    return is_fresh and may_write(model, name, topic) and model.done[TIMED_OUT] < MOST_TIMED_OUT


def _may_race_time_out(model: Pip31, topic: str) -> bool:
    one = model.topics[topic]
    is_alone = not model.transactions and not any(other.is_used for other in model.subscriptions.values())
    return is_alone and not one.is_used and not one.is_terminated and model.done[TIMED_OUT] < MOST_TIMED_OUT


def acts() -> Iterator[Act[Pip31]]:
    """All acts about coordinators."""
    for x in (*TRANSACTIONS, OTHER):
        needs, held = needs_of(x), needs_of(x, "held-ends")
        for how in ENDS:
            yield Act(f"{x} {how}", _may_end, _end, (x, how), needs)
            yield Act(f"{x} {how}, held up", is_open, _hold_up, (x, how), held)
            yield Act(f"{x} {how}, and a crash comes", is_open, _crash_at_answer, (x, how), needs_of(x, "crash"))
        yield Act(f"a look at {x}", is_open, _look, (x,), needs)
        yield Act(f"a look at the low watermark before {x}", _is_oldest, _look_at_watermark, (x,), needs_of(x, "buffer-statistics"))
    for x in TRANSACTIONS[:2]:
        yield Act(f"{x} adds two topics", _may_add, _add, (x, *TOPICS[:2]))
        for topic in TOPICS[:2]:
            yield Act(f"{x} adds {topic} late", _may_add_late, _add_late, (x, topic))
            again, needs = f"the coordinator reports the end of {x} to {topic} again", frozenset({"participant-ends"})
            yield Act(again, _may_notify_again, _notify_topic_again, (x, topic), needs)
        for first in ENDS:
            for second in ENDS:
                yield Act(f"{x} {first} and {second} at once", _may_race, _end_twice, (x, first, second), races=True)
    for x in (*TRANSACTIONS, OTHER, SHORT, MODERATE):
        yield Act(f"the end of {x} is let go", _is_held_up, let_go, (x,), frozenset({"held-ends"}))
        for how in ENDS:
            yield Act(f"{x} {how} again", _is_decided, _end_again, (x, how), needs_of(x))
    short: dict[str, tuple[str, Callable[..., list[ActLine]], frozenset[str]]] = {
        "times out": (SHORT, _time_out, frozenset()),
        "times out, held up": (SHORT, _time_out_held_up, frozenset({"held-ends"})),
        "is added to until it times out": (SHORT, _time_out_and_add, frozenset()),
        "times out after a crash": (MODERATE, _crash_before_time_out, frozenset({"crash"})),
        "is being committed past its timeout": (MODERATE, _commit_past_time_out, frozenset({"held-ends"})),
    }
    for what, (name, says, needs) in short.items():
        yield Act(f"{name} {what}", _may_time_out, says, (name, TOPICS[0]), needs)
    yield Act("commits race with timeouts", _may_race_time_out, _race_the_time_out, (TOPICS[0],), races=True)
    for said, why, *where in (("commits", "PIP31-22"), ("aborts", "PIP31-22"), (f"adds {TOPICS[0]}", "PIP31-15", TOPICS[0])):
        yield Act(f"an unknown transaction {said}", lambda *_: True, _use_unknown, (said, why, NUMBERS, *where))
    yield Act("several transactions begin", lambda model, _: model.done[_IDS] < 3, _begin_several, (NUMBERS,))
    yield Act("several transactions are committed", lambda model, _: model.done["committed ids"] < 2, _commit_several, (NUMBERS,))
    yield Act(
        "a transaction begins at each coordinator",
        lambda model, _: not model.done["each"],
        _begin_at_each,
        (NUMBERS,),
        frozenset({"more-coordinators"}),
    )


def _may_end(model: Pip31, name: str, *_: str) -> bool:
    return model.is_open(name)
