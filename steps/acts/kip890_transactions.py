"""Acts of KIP-890: writes, ends, added partitions and initialisation, of new and old clients, each answered as its client may expect."""

from collections.abc import Iterator
from dataclasses import replace

from .act import Act, ActLine, always
from .kip890_lines import NEEDS, given, markers, not_grown, quoted, then, when
from .kip890_model import PARTITIONS, Kip890Clients, Kip890Producer
from .kip890_words import NEW_ID, NEXT

ENDS = {"commits": "commit", "aborts": "abort"}
"""The acts of a producer as sentences name them, and the requests."""
DONE = {"commits": "committed", "aborts": "aborted"}
"""The same in the perfect."""
_ENDED = {"aborts nothing": "aborts"}
"""What ends a transaction that has nothing in it, and so is repeated as an end is."""
_ALL = ("A", "B", "C", "L")
_REPEATED = frozenset({"the disturbance twice", "the disturbance answer-lost"})
"""What would repeat a retry. A client that moves to another producer id has one."""


def may_act(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether the producer exists, and owns its id."""
    producer = model.producers.get(name)
    return producer is not None and producer.owns_its_id


def is_open(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether its transaction is open."""
    return may_act(model, name) and model.producers[name].open is not None


def is_idle(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether it has no open transaction."""
    return may_act(model, name) and model.producers[name].open is None


def is_new(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether it owns its id, and is a client of transaction version 2."""
    return may_act(model, name) and not model.producers[name].is_old


def is_old(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether it owns its id, and is a client of transaction version 0."""
    return may_act(model, name) and model.producers[name].is_old


def move_on(producer: Kip890Producer) -> None:
    """Its last usable epoch is used up: it continues with another producer id."""
    if producer.is_exhausted:
        producer.is_exhausted, producer.has_moved = False, True


def after_end(producer: Kip890Producer) -> str:
    """The answer to the end of a producer's transaction."""
    if producer.is_old:
        return "it is done"
    return NEW_ID if producer.is_exhausted else NEXT


def _write(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    producer, value = model.producers[name], model.new_value(name)
    lines = _added_first(model, name, partition)
    model.write(name, partition, value)
    why = "097" if producer.is_old else "090"
    asked = when(f'{name} writes "{value}" to {partition}', why, f'{name} has written "{value}" to {partition}')
    return [*lines, asked, then("it is done", why)]


def _added_first(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    """What an old client does before it writes somewhere for the first time."""
    current = model.producers[name].open
    if not model.producers[name].is_old or (current and partition in current.added):
        return []
    model.begun(name).added.add(partition)
    return [given(f"{name} has added {partition}", "043" if model.producers[name].past != ["begun"] else "030")]


def _has_written(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    value = model.new_value(name)
    model.write(name, partition, value)
    return [given(f'{name} has written "{value}" to {partition}', "097" if model.producers[name].is_old else "090")]


def _write_both(model: Kip890Clients, name: str, one: str, other: str) -> list[ActLine]:
    first, second = model.new_value(name), model.new_value(name)
    lines = [*_added_first(model, name, one), *_added_first(model, name, other)]
    model.write(name, one, first)
    model.write(name, other, second)
    said = f'"{first}" to {one} and "{second}" to {other} in one request'
    return [*lines, given(f"{name} has written {said}", "211")]


def _end(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """EndTxn whose answer is judged; a new client that has not read it retries, and continues with the answer to that."""
    producer = model.producers[name]
    commit, how = ends == "commits", after_end(producer)
    why = ("083" if producer.is_old else "060" if commit else "061") if not producer.is_exhausted else "076"
    lines = [when(f"{name} {ends}", why, f"{name} has {DONE[ends]}"), then(how, why)]
    if producer.is_old:
        lines.append(then(f"the producer id and epoch of {name} are unchanged", "083"))
    elif not producer.is_exhausted:  # another id is seen only after the markers, which may take time
        lines.append(then(f"the producer id and epoch of {name} are those of the answer", "080"))
    lines += markers(model, name, ENDS[ends].upper(), "123" if producer.is_old else "122", bumps=not producer.is_old)
    if not producer.is_old:
        lines.append(given(f"{name} has {DONE[ends]}", "064" if commit else "065"))
    model.end(name, commit=commit, how=ends, waited=True)
    move_on(producer)
    lines.append(then(f"the transaction of {name} is {'CompleteCommit' if commit else 'CompleteAbort'}", "148"))
    return lines


def _has_ended(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    producer = model.producers[name]
    commit = ends == "commits"
    model.end(name, commit=commit, how=ends, waited=True)
    move_on(producer)
    return [given(f"{name} has {DONE[ends]}", "083" if producer.is_old else "060" if commit else "061")]


def _asked_to_end(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    producer = model.producers[name]
    commit = ends == "commits"
    model.end(name, commit=commit, how=ends, waited=False)
    model.has_early_snapshot = True
    move_on(producer)
    return [given(f"{name} has been asked to {ENDS[ends]}", "083" if producer.is_old else "060" if commit else "061")]


def _abort_nothing(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    how = after_end(producer)
    lines = [when(f"{name} aborts", "070"), then(how, "070")]
    lines += not_grown(model, PARTITIONS[0], "071")
    lines.append(given(f"{name} has aborted", "065"))
    producer.has_next_epoch("aborts nothing")
    move_on(producer)
    return lines


def _has_aborted_nothing(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    producer.has_next_epoch("aborts nothing")
    move_on(producer)
    return [given(f"{name} has aborted", "070")]


def may_show_nothing_new(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether a new client that has no transaction open is there, and nothing is in flight."""
    return is_idle(model, name) and is_new(model, name) and model.is_quiet


def _end_nothing_of_old(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """An old client that has nothing open: it may send its last end again, and no other."""
    producer = model.producers[name]
    asked = when(f"{name} {ends}", "084")
    if producer.last_end is None:
        return [
            asked,
            then("it is refused with INVALID_TXN_STATE", "086"),
            then(f"the producer id and epoch of {name} are unchanged", "086"),
        ]
    if producer.last_end == ends:
        return [asked, then("it is done", "084"), *not_grown(model, PARTITIONS[0], "084")]
    return [asked, then("it is refused with INVALID_TXN_STATE", "085"), then(f"the transaction of {name} is unchanged", "085")]


def _may_end_nothing_of_old(model: Kip890Clients, name: str, *_: str) -> bool:
    producer = model.producers.get(name)
    if producer is None or not is_idle(model, name) or not producer.is_old or not model.is_quiet:
        return False
    return producer.last_end is not None or producer.past == ["begun"]


_commit_nothing = always(
    when("{0} commits", "069"),
    then("it is refused with INVALID_TXN_STATE", "069"),
    then("the refusal has producer id -1 and epoch -1", "062"),
    then("the producer id and epoch of {0} are unchanged", "069"),
)


def _may_commit_nothing(model: Kip890Clients, name: str) -> bool:
    return is_idle(model, name) and is_new(model, name)


def _end_again(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """EndTxn v5 at the epoch that it has ended: the same decision is answered again, the other one is refused."""
    producer = model.producers[name]
    asked = when(f"{name} {ends} with its previous epoch", "064")
    last = _ENDED.get(producer.past[-1], producer.past[-1])
    if producer.open is not None:
        errors = (
            "PRODUCER_FENCED, INVALID_TXN_STATE or INVALID_PRODUCER_ID_MAPPING"
            if producer.has_moved
            else "PRODUCER_FENCED or INVALID_TXN_STATE"
        )
        return [asked, then(f"it is refused with {errors}", "200"), then(f"the transaction of {name} is unchanged", "200")]
    if last == ends:
        why = "077" if producer.has_moved else "064" if ends == "commits" else "065"
        lines = [asked, then("it is done and answers the producer id and epoch in force", why)]
        return [*lines, then(f"the producer id and epoch of {name} are unchanged", why), *not_grown(model, "payments-0", why)]
    why = "077" if producer.has_moved else "067" if last == "commits" else "068"
    return [asked, then("it is refused with INVALID_TXN_STATE", why), then(f"the transaction of {name} is unchanged", why)]


def _may_end_again(model: Kip890Clients, name: str, *_: str) -> bool:
    """Where ends are polled, each has the present epoch."""
    was_polled = any(what.endswith("is polled") for what in model.shown)
    return is_new(model, name) and model.producers[name].past[-1] in (*ENDS, *_ENDED) and model.is_quiet and not was_polled


def _add(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    producer = model.producers[name]
    current = producer.open
    why = "034" if current and partition in current.added else "030" if producer.past == ["begun"] and not producer.last_end else "043"
    model.begun(name).added.add(partition)
    asked = when(f"{name} adds {partition}", why, f"{name} has added {partition}")
    return [asked, then(f"it is done for {partition}", why)]


_add_beside_an_unknown_one = always(
    when("{0} adds {1} and payments-9", "033"),
    then("it is refused for payments-9 with UNKNOWN_TOPIC_OR_PARTITION", "033"),
    then("it is refused for {1} with OPERATION_NOT_ATTEMPTED", "033"),
    then("the transaction of {0} is unchanged", "033"),
)


def is_quiet(model: Kip890Clients, name: str, *_: str) -> bool:
    """Whether, besides, nothing is in flight."""
    return may_act(model, name) and model.is_quiet


def _why_initialise(producer: Kip890Producer) -> str:
    """The requirement of the owner's InitProducerId: that it continues with another producer id, or with the next epoch."""
    was_open = producer.open is not None
    if producer.is_exhausted:
        return "276" if was_open else "026"
    return "023" if was_open else "016"


def _initialise(model: Kip890Clients, name: str) -> list[ActLine]:
    """InitProducerId of the owner, whose answer is judged; a retry gets the same answer, and so the producer continues.

    For a producer that has moved to another id, one more answer is promised; that its open transaction was aborted first is no such move.
    """
    producer = model.producers[name]
    was_open = producer.open is not None
    why = _why_initialise(producer)
    again = "027" if producer.is_exhausted else "017"
    lines = [when(f"{name} initialises again", why, f"{name} has initialised again"), then(NEW_ID if producer.is_exhausted else NEXT, why)]
    lines.append(then(f"the producer id and epoch of {name} are those of the answer", why))
    model.decide(producer, commit=False)
    model.under_way.add(name)
    if producer.is_exhausted and was_open:
        model.leave(name)
        return lines
    producer.has_next_epoch("asked twice" if producer.is_exhausted else "initialised")
    move_on(producer)
    return [*lines, given(f"{name} has initialised again", again)]


def _has_initialised(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    why, moves = _why_initialise(producer), producer.is_exhausted and producer.open is not None
    model.decide(producer, commit=False)
    producer.has_next_epoch("asked twice" if moves else "initialised")  # a retry is promised only where nothing was open
    producer.is_timed_out = False
    move_on(producer)
    return [given(f"{name} has initialised again", why)]


def _initialise_as_before(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    why = "027" if producer.has_moved else "164" if model.has_crashed and not producer.is_exhausted else "017"
    if producer.has_moved:
        producer.past[-1] = "asked twice"
    return [
        when(f"{name} initialises again with its previous epoch", why),
        then("it is done and answers the producer id and epoch in force", why),
        then(f"the producer id and epoch of {name} are unchanged", why),
    ]


def _may_initialise_as_before(model: Kip890Clients, name: str) -> bool:
    return (
        is_idle(model, name) and model.producers[name].past[-1] == "initialised" and not model.producers[name].last_end and model.is_quiet
    )


def _take_over(model: Kip890Clients, name: str, successor: str) -> list[ActLine]:
    producer = model.producers[name]
    was_open = producer.open is not None
    ahead = "the same producer id and the epoch after the next" if was_open else "the same producer id and the next epoch"
    model.take_over(name, successor)
    why = "023" if was_open else "015"
    said = f"{successor} takes over from {name}"
    return [when(said, why, f"{successor} has taken over from {name}"), then(f"it is done and answers {ahead}", why)]


def _may_take_over(model: Kip890Clients, name: str, successor: str) -> bool:
    return is_new(model, name) and successor not in model.producers and not model.producers[name].is_exhausted


def _change_protocol(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    producer.is_old = not producer.is_old
    producer.last_end = None
    version = "an old client (transaction version 0)" if producer.is_old else "a new client (transaction version 2)"
    return [given(f"{name} is {version}", "208")]


def _commit_a_value(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    """A whole transaction, one of many small ones."""
    value, producer = model.new_value(name), model.producers[name]
    model.write(name, partition, value)
    model.end(name, commit=True, how="commits", waited=True)
    move_on(producer)
    return [given(f'{name} has committed "{value}" to {partition}', "083" if producer.is_old else "063")]


def _write_plain(model: Kip890Clients, partition: str) -> list[ActLine]:
    value = model.new_value("p")
    model.write_outside(partition, value)
    return [given(f"{quoted([value])} has been written to {partition}", "137")]


def while_t_is_idle(act: Act[Kip890Clients]) -> Act[Kip890Clients]:
    """The act, which takes time in which the transaction of T would time out."""

    def may_come(model: Kip890Clients, *arguments: str) -> bool:
        return act.may_come(model, *arguments) and model.producers["T"].open is None

    return replace(act, may_come=may_come)


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of clients whose requests succeed, or are refused because of earlier requests."""
    for x in _ALL:
        needs = NEEDS | {"aged-ids"} if x == "L" else NEEDS
        for p in PARTITIONS:
            yield Act(f"{x} writes to {p}", may_act, _write, (x, p), needs)
            yield Act(f"{x} has written to {p}", may_act, _has_written, (x, p), needs)
            yield Act(f"{x} adds {p}", may_act, _add, (x, p), needs)
            yield Act(f"{x} has committed a value to {p}", may_act, _commit_a_value, (x, p), needs)
        yield Act(f"{x} has written to two partitions", may_act, _write_both, (x, *PARTITIONS[:2]), needs)
        yield Act(f"{x} adds a partition that there is not", is_quiet, _add_beside_an_unknown_one, (x, PARTITIONS[0]), needs)
        for ends in ENDS:
            yield Act(f"{x} {ends}", is_open, _end, (x, ends), needs)
            yield Act(f"{x} has {DONE[ends]}", is_open, _has_ended, (x, ends), needs)
            yield Act(f"{x} has been asked to {ENDS[ends]}", is_open, _asked_to_end, (x, ends), needs)
            yield Act(f"{x} {ends} again", _may_end_again, _end_again, (x, ends), needs)
            if x in ("A", "B"):
                yield Act(f"{x} {ends} nothing, as an old client", _may_end_nothing_of_old, _end_nothing_of_old, (x, ends), needs)
        yield Act(f"{x} aborts nothing", may_show_nothing_new, _abort_nothing, (x,), needs)
        yield Act(f"{x} has aborted nothing", may_show_nothing_new, _has_aborted_nothing, (x,), needs)
        yield Act(f"{x} commits nothing", _may_commit_nothing, _commit_nothing, (x,), needs)
        retries = _REPEATED if x == "L" else frozenset()
        yield Act(f"{x} initialises again", is_new, _initialise, (x,), needs, excludes=retries)
        yield Act(f"{x} has initialised again", may_act, _has_initialised, (x,), needs)
        yield Act(f"{x} initialises as before", _may_initialise_as_before, _initialise_as_before, (x,), needs)
        yield Act(f"{x} changes its protocol", is_idle, _change_protocol, (x,), needs)
    for ends in ENDS:
        yield Act(f"T has {DONE[ends]}", is_open, _has_ended, ("T", ends), NEEDS)
    yield Act("C takes over from A", _may_take_over, _take_over, ("A", "C"), NEEDS)
    for p in PARTITIONS:
        yield Act(f"a plain write to {p}", lambda model, p: p not in model.unread, _write_plain, (p,), NEEDS)
