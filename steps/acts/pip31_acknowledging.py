"""Acts of PIP-31 that acknowledge: one message or all up to one, inside and outside of transactions, in time, late and unannounced."""

from collections.abc import Iterator, Sequence

from fencepost.steps.pulsar.vocabulary import shown

from .act import Act, ActLine, given, then, when
from .pip31_model import BATCH, FREE, GONE, INPUT, MESSAGES, TAKEN, UNCLEAR, Pip31, Pip31Subscription, narrowest
from .pip31_writing import BUSY, OTHER, TRANSACTIONS, UNKNOWN, begun, needs_of, unknown

LATE = {"watchers": ("shared", "orders"), "followers": ("exclusive", "orders"), "payers": ("shared", "payments")}
"""Subscriptions that are created later, each with its kind and its topic."""
NAMESAKE = {"payers": "workers"}
_CONFLICT = "it is refused with TransactionConflict or InvalidTxnStatus"
_BY_BATCH = frozenset({"batch-index-acknowledgement"})
_ORDINALS: tuple[str, ...] = ("first", "second")


def used(model: Pip31, name: str) -> Pip31Subscription:
    """A subscription that is used from now on."""
    one = model.subscriptions[name]
    one.is_used = True
    return one


def _acknowledge(model: Pip31, name: str, where: str, *which: str) -> list[ActLine]:
    lines, one = begun(model, name), used(model, where)
    values = [_value(one, index) for index in which]
    said = f'{shown(values)} for "{where}"'
    asked = when(f"{name} acknowledges {said}", BUSY, f"{name} has acknowledged {said}")
    model.transactions[name].subscriptions.add(where)
    if why := _conflict(model, one, name, values):
        one.whys.append("PIP31-154")
        tried = when(asked.text, why, f"{name} has tried to acknowledge {said}")
        return [*lines, tried, then(_CONFLICT, why)]
    one.hold(name, values)
    if name in one.cumulative:
        one.whys.append("PIP31-83")
    why = _why_done(model, one, name)
    return [*lines, asked._replace(requirement=why), then("it is done", why)]


def _has(one: Pip31Subscription, which: str) -> bool:
    """Whether it has received a message at that place, which has its own id."""
    if which not in _ORDINALS:
        return True
    at = _ORDINALS.index(which)
    return len(one.received) > at and one.received[at] not in one.firsts_of_batches


def _value(one: Pip31Subscription, which: str) -> str:
    """A message by its value, or by its place among those that were received."""
    return one.received[_ORDINALS.index(which)] if which in _ORDINALS else which


def _why_done(model: Pip31, one: Pip31Subscription, name: str) -> str:
    if one.whys:
        return narrowest(one.whys)
    return "PIP31-32" if model.has_crashed_in(name) else "PIP31-67"


def _conflict(model: Pip31, one: Pip31Subscription, name: str, values: Sequence[str]) -> str:
    """The requirement by which the acknowledgement is refused; none where it succeeds."""
    states = [one.states[value] for value in values]
    if any(state in (GONE, TAKEN) for state in states):
        return "PIP31-56"
    if holders := [state for state in states if state not in (FREE, name)]:
        holder = model.transactions[holders[0]]
        return "PIP31-60" if model.has_crashed_in(holder.name) else "PIP31-61" if one.asked_again else "PIP31-55"
    return ""


def _acknowledge_up_to(model: Pip31, name: str, where: str, which: str) -> list[ActLine]:
    lines, one = begun(model, name), used(model, where)
    value = _value(one, which)
    index = one.received.index(value)
    said = f'everything up to "{value}" for "{where}"'
    asked = f"{name} acknowledges {said}"
    done, tried = f"{name} has acknowledged {said}", f"{name} has tried to acknowledge {said}"
    model.transactions[name].subscriptions.add(where)
    covered = [one.states[covered] for covered in one.up_to(index)]
    others = [other for other in one.cumulative if other != name]
    if others:
        one.whys.append("PIP31-154")
        return [*lines, when(asked, "PIP31-63", tried), then(_CONFLICT, "PIP31-63")]
    if all(state in (GONE, TAKEN) for state in covered):
        one.whys.append("PIP31-154")
        return [*lines, when(asked, "PIP31-56", tried), then(_CONFLICT, "PIP31-56")]
    if any(state not in (FREE, GONE, TAKEN, name) for state in covered):
        _may_have(one, one.up_to(index), name)
        one.tried[name] = one.up_to(index)
        one.whys.append("PIP31-64")
        return [*lines, given(tried, "PIP31-64")]
    if one.holds(name):
        one.whys.append("PIP31-83")
    one.hold(name, one.up_to(index))
    one.cumulative[name] = index
    why = _why_done(model, one, name)
    return [*lines, when(asked, why, done), then("it is done", why)]


def _may_have(one: Pip31Subscription, values: Sequence[str], name: str) -> None:
    """The transaction may or may not have acknowledged the free ones of these, and it is not asked for more."""
    for value in values:
        if one.states[value] == FREE:
            one.take(value, UNCLEAR)
    one.banned.add(name)
    one.is_exact = False


def _try_under_cumulative(model: Pip31, name: str, where: str, value: str) -> list[ActLine]:
    lines, one = begun(model, name), used(model, where)
    model.transactions[name].subscriptions.add(where)
    _may_have(one, [value], name)
    one.whys.append("PIP31-85")
    return [*lines, given(f'{name} has tried to acknowledge "{value}" for "{where}"', "PIP31-85")]


def _acknowledge_plainly(model: Pip31, where: str, which: str) -> list[ActLine]:
    one = used(model, where)
    one.is_odd = True
    one.whys.append("PIP31-140")
    value = _value(one, which)
    if one.states[value] == FREE:
        one.take(value, TAKEN)
    elif one.states[value] not in (GONE, TAKEN):
        one.whys.append("PIP31-57")
    beside = any(one.states[other] not in (FREE, GONE, TAKEN, UNCLEAR) for other in BATCH if value in BATCH and other in one.states)
    if beside:
        one.whys.append("PIP31-57")
    return [given(f'"{value}" has been acknowledged for "{where}" without a transaction', narrowest(one.whys))]


def _acknowledge_plainly_up_to(model: Pip31, where: str, which: str) -> list[ActLine]:
    one = used(model, where)
    one.is_odd = True
    one.whys.append("PIP31-140")
    value = _value(one, which)
    covered = one.up_to(one.received.index(value))
    is_pending = any(one.states[other] not in (FREE, GONE, TAKEN, UNCLEAR) for other in covered)
    for other in covered:
        if one.states[other] == FREE:
            one.take(other, UNCLEAR if is_pending or value == BATCH[0] == other else TAKEN)
    one.is_exact = one.is_exact and not is_pending and value != BATCH[0]
    if is_pending:
        one.whys.append("PIP31-57")
    why = narrowest(one.whys)
    return [given(f'everything up to "{value}" has been acknowledged for "{where}" without a transaction', why)]


def _acknowledge_late(model: Pip31, name: str, where: str, value: str) -> list[ActLine]:
    one = used(model, where)
    one.whys.append("PIP31-89")
    one.banned |= {value, name}
    one.is_exact, one.is_odd = False, True
    unannounced = "" if where in model.transactions[name].subscriptions else ", which it has not added"
    return [given(f'{name} has tried to acknowledge "{value}" for "{where}"{unannounced}', "PIP31-89")]


def _acknowledge_unknown(model: Pip31, where: str, value: str) -> list[ActLine]:
    lines, one = unknown(model), used(model, where)
    one.whys.append("PIP31-89")
    one.banned.add(value)
    one.is_exact, one.is_odd = False, True
    return [*lines, given(f'{UNKNOWN} has tried to acknowledge "{value}" for "{where}", which it has not added', "PIP31-89")]


def _add(model: Pip31, name: str, one: str, other: str) -> list[ActLine]:
    lines, said = begun(model, name), f'"{one}" and "{other}"'
    for where in (one, other):
        used(model, where)
        model.transactions[name].subscriptions.add(where)
    return [*lines, when(f"{name} adds {said}", "PIP31-20", f"{name} has added {said}"), then("it is done", "PIP31-20")]


def _add_late(model: Pip31, name: str, where: str) -> list[ActLine]:
    used(model, where)
    return [when(f'{name} adds "{where}"', "PIP31-21"), then("it is refused", "PIP31-21")]


def _add_to_unknown(model: Pip31, where: str) -> list[ActLine]:
    used(model, where)
    asked = when(f'{UNKNOWN} adds "{where}"', "PIP31-19")
    return [*unknown(model), asked, then("it is refused with TransactionNotFound", "PIP31-19")]


def _notify_again(model: Pip31, name: str, where: str) -> list[ActLine]:
    one, is_commit = used(model, where), model.transactions[name].committed
    one.whys.append("PIP31-153")
    why = "PIP31-153" if is_commit else "PIP31-37"
    return [given(f'"{where}" has been asked to {"commit" if is_commit else "abort"} {name}', why)]


def _pipeline(model: Pip31, name: str, where: str, topic: str) -> list[ActLine]:
    lines = [*begun(model, name), *unknown(model)]
    used(model, where)
    model.done["each"] += 1
    model.done["pipelined"] += 1
    asked = f'a client pipelines requests that add {topic} and "{where}" to {name} and {UNKNOWN}'
    return [*lines, when(asked, "PIP31-14"), then("each of them is answered by its own answer", "PIP31-14")]


def is_there(model: Pip31, where: str, *_: str) -> bool:
    """Whether the subscription has a consumer."""
    one = model.subscriptions.get(where)
    return one is not None and not one.is_removed and not one.is_reader


def _may_use(model: Pip31, name: str, where: str) -> Pip31Subscription | None:
    """The subscription, where the transaction may acknowledge something there."""
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where) or not model.is_open(name) or name in one.banned:
        return None
    return one


def _is_known(model: Pip31, one: Pip31Subscription, value: str) -> bool:
    """Whether clients know whether a message is held by no transaction or by an open one."""
    state = one.states.get(value, UNCLEAR)
    holder = model.transactions.get(state)
    return state != UNCLEAR and value not in one.banned and (holder is None or holder.is_open)


def _covers(one: Pip31Subscription, value: str) -> list[str]:
    """The transactions whose cumulative acknowledgement covers a message, or ends before it in the same entry."""
    at = one.received.index(value)
    return [name for name, index in one.cumulative.items() if index >= at or (value in BATCH and one.received[index] in BATCH)]


def _may_acknowledge(model: Pip31, name: str, where: str, *which: str) -> bool:
    """Not again in the same transaction, and not while another has a cumulative one, for which the expected result is not known."""
    one = _may_use(model, name, where)
    if one is None or not all(_has(one, index) for index in which):
        return False
    values = [_value(one, index) for index in which]
    if not all(_is_known(model, one, value) and one.states[value] != name and not _covers(one, value) for value in values):
        return False
    return all(other == name for other in one.cumulative)


def _may_try_under(model: Pip31, name: str, where: str, value: str) -> bool:
    one = _may_use(model, name, where)
    if one is None or name in one.cumulative or not one.cumulative:
        return False
    return _is_known(model, one, value) and value not in one.holds(name)


def _may_acknowledge_up_to(model: Pip31, name: str, where: str, which: str) -> bool:
    """Further than before, and not over what the same transaction has acknowledged individually."""
    one = _may_use(model, name, where)
    if one is None or not _has(one, which):
        return False
    value = _value(one, which)
    index = one.received.index(value)
    covered = [one.states[other] for other in one.up_to(index)]
    known = all(_is_known(model, one, other) for other in one.up_to(index))
    is_further = one.cumulative.get(name, -1) < index and (name in one.cumulative or name not in one.states.values())
    others_are_open = all(model.transactions[other].is_open for other in one.cumulative)
    is_one_sided = covered[-1] not in (GONE, TAKEN) or all(state in (GONE, TAKEN) for state in covered)
    return known and is_further and others_are_open and is_one_sided


def _may_acknowledge_plainly(model: Pip31, where: str, which: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or not is_there(model, where) or not _has(one, which):
        return False
    return _is_known(model, one, _value(one, which))


def _may_plainly_up_to(model: Pip31, where: str, which: str) -> bool:
    one = model.subscriptions.get(where)
    if one is None or not _may_acknowledge_plainly(model, where, which):
        return False
    return all(_is_known(model, one, other) for other in one.up_to(one.received.index(_value(one, which))))


def _may_acknowledge_late(model: Pip31, name: str, where: str, value: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and is_there(model, where) and model.is_over(name) and one.states[value] == FREE


def _may_acknowledge_unknown(model: Pip31, where: str, value: str) -> bool:
    one = model.subscriptions.get(where)
    return one is not None and is_there(model, where) and one.states[value] == FREE and not one.cumulative


def _may_add(model: Pip31, name: str, one: str, other: str) -> bool:
    return _may_use(model, name, one) is not None and _may_use(model, name, other) is not None


def _may_add_late(model: Pip31, name: str, where: str) -> bool:
    one = model.transactions.get(name)
    return one is not None and not one.is_open and one.committed is not None and is_there(model, where)


def _may_notify_again(model: Pip31, name: str, where: str) -> bool:
    """Not where its late acknowledgement may have been accepted, to which a repeated end may apply."""
    is_part = model.is_over(name) and where in model.transactions[name].subscriptions and is_there(model, where)
    return is_part and name not in model.subscriptions[where].banned


def _may_pipeline(model: Pip31, name: str, where: str, topic: str) -> bool:
    return _may_use(model, name, where) is not None and not model.topics[topic].is_terminated and not model.topics[topic].strays_at


def acts() -> Iterator[Act[Pip31]]:
    """All acts about acknowledgements."""
    for x in (*TRANSACTIONS, OTHER):
        for value in MESSAGES if x in TRANSACTIONS[:2] else INPUT:
            needs = needs_of(x, *(_BY_BATCH if value in BATCH else ()))
            yield Act(f"{x} acknowledges {value} for workers", _may_acknowledge, _acknowledge, (x, "workers", value), needs)
    for x in TRANSACTIONS[:2]:
        for where, some in (
            ("auditors", INPUT[:1]),
            ("packers", INPUT[:1]),
            ("heirs", INPUT[:1]),
            ("followers", _ORDINALS),
            ("payers", _ORDINALS),
        ):
            for which in some:
                yield Act(f"{x} acknowledges {which} for {where}", _may_acknowledge, _acknowledge, (x, where, which))
        for where, values in (("workers", INPUT), ("workers", BATCH), ("auditors", BATCH[1:])):
            needs = _BY_BATCH if values != INPUT else frozenset()
            said = f"{x} acknowledges {' and '.join(values)} for {where}"
            yield Act(said, _may_acknowledge, _acknowledge, (x, where, *values), needs, is_whole=len(values) > 1)
        yield Act(f"{x} adds two subscriptions", _may_add, _add, (x, "workers", "packers"))
        for where, some in (("auditors", (*INPUT, BATCH[0])), ("heirs", INPUT[1:]), ("followers", _ORDINALS[:1])):
            for which in some:
                said, needs = f"{x} acknowledges everything up to {which} for {where}", _BY_BATCH if which in BATCH else frozenset()
                yield Act(said, _may_acknowledge_up_to, _acknowledge_up_to, (x, where, which), needs)
        for value in INPUT:
            said = f"{x} tries {value} beside a cumulative one for auditors"
            yield Act(said, _may_try_under, _try_under_cumulative, (x, "auditors", value))
    first, needs = TRANSACTIONS[0], frozenset({"participant-ends"})
    yield Act(f"{first} acknowledges i1 for workers late", _may_acknowledge_late, _acknowledge_late, (first, "workers", "i1"))
    yield Act(f"{first} adds workers late", _may_add_late, _add_late, (first, "workers"))
    yield Act(f"the coordinator reports the end of {first} to workers again", _may_notify_again, _notify_again, (first, "workers"), needs)
    for where, values in (("workers", (INPUT[0], *BATCH)), ("auditors", INPUT[:1])):
        for value in values:
            needs = _BY_BATCH if value in BATCH else frozenset()
            yield Act(f"{value} is acknowledged for {where} plainly", _may_acknowledge_plainly, _acknowledge_plainly, (where, value), needs)
    for where, value in (("auditors", "i2"), ("auditors", "b1"), ("followers", "first")):
        needs = _BY_BATCH if value in BATCH else frozenset()
        said = f"everything up to {value} is acknowledged for {where} plainly"
        yield Act(said, _may_plainly_up_to, _acknowledge_plainly_up_to, (where, value), needs)
    yield Act("an unknown transaction acknowledges i1 for workers", _may_acknowledge_unknown, _acknowledge_unknown, ("workers", "i1"))
    yield Act("an unknown transaction adds workers", is_there, _add_to_unknown, ("workers",))
    yield Act("requests are pipelined", _may_pipeline, _pipeline, ("A", "workers", "orders"))
