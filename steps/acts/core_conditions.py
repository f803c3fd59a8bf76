"""When the acts of the core are possible: what their clients know, and what every system lets them do then."""

from .core_model import INPUTS, Core

MANY = 20
"""How many values a writer writes at once in one of its acts."""
_MOST_LOOKS = 2


def has_it(model: Core, name: str, *_: str) -> bool:
    writer = model.writers[name]
    return writer.knows_its_end and not writer.lost


def has_lost_it(model: Core, name: str, *_: str) -> bool:
    return model.writers[name].lost


def has_ended(model: Core, name: str, *_: str) -> bool:
    last = model.writers[name].last
    return last is not None and last.committed is not None and not model.writers[name].lost


def has_ended_everywhere(model: Core, name: str, *_: str) -> bool:
    last = model.writers[name].last
    return last is not None and last.is_everywhere and not model.writers[name].lost


def is_open(model: Core, name: str, *_: str) -> bool:
    return model.writers[name].open is not None


def may_end(model: Core, name: str, ends: str) -> bool:
    """A transaction in which nothing was done is aborted: systems differ in whether it can be committed."""
    current = model.writers[name].open
    return current is not None and (ends == "aborts" or bool(current.writes or current.inputs))


def has_written(model: Core, name: str, *_: str) -> bool:
    current = model.writers[name].open
    return current is not None and bool(current.writes)


def has_several(model: Core, name: str, *_: str) -> bool:
    """Whether its transaction has several participants, all of which have been served since it began: a participant that is reloaded is
    notified only when a client uses it.
    """
    current = model.writers[name].open
    if current is None or model.has_gone_down_since(current):
        return False
    return len({log for log, _ in current.writes}) + len(current.inputs) > 1


def may_write(model: Core, name: str, log: str) -> bool:
    return has_it(model, name) and log not in model.sealed


def may_write_many(model: Core, name: str, log: str) -> bool:
    return may_write(model, name, log) and not model.has_written_many(str(MANY))


def may_write_to_sealed(model: Core, name: str, log: str) -> bool:
    return is_open(model, name) and log in model.sealed


def may_time_out(model: Core, name: str, *_: str) -> bool:
    """Time passes meanwhile, and a sealed log may be gone once its retention is over."""
    writer = model.writers[name]
    return (writer.is_new or writer.lost) and not model.sealed


def may_time_out_with_input(model: Core, name: str, group: str, log: str) -> bool:
    return may_time_out(model, name) and group not in model.unclear and model.may_take(group, log)


def may_abort_several(model: Core, name: str, log: str) -> bool:
    return may_write(model, name, log) and not is_open(model, name)


def may_race(model: Core, name: str, log: str, *_: str) -> bool:
    """The log has only writes of this transaction, and the transaction has done nothing else."""
    current = model.writers[name].open
    entries = model.logs[log]
    is_alone = bool(entries) and all(entry.transaction is current for entry in entries) and not model.late[log]
    return current is not None and is_alone and len(entries) == len(current.writes) and not current.inputs and log not in model.sealed


def may_process(model: Core, one: str, other: str, group: str, *_: str) -> bool:
    is_free = all(has_it(model, name) and not is_open(model, name) for name in (one, other))
    return is_free and group not in model.unclear and model.may_take(group, INPUTS)


def may_commit_lost(model: Core, name: str) -> bool:
    return model.writers[name].lost and not model.writers[name].has_tried


def may_take(model: Core, name: str, group: str, log: str) -> bool:
    return has_it(model, name) and group not in model.unclear and log not in model.unclear and model.may_take(group, log)


def may_look(model: Core, log: str) -> bool:
    """Readers may wait behind an open transaction while patience lasts: few enough times that nothing times out meanwhile."""
    return log not in model.unclear and model.is_open_in(log) and model.looks < _MOST_LOOKS


def may_look_for_place(model: Core, group: str, log: str) -> bool:
    """Few enough times, as in `may_look`, and before a sealed log that no group needs may be collected."""
    place, is_soon = model.places.get((group, log)), model.looks < _MOST_LOOKS
    return is_soon and group not in model.unclear and place is not None and place.held_by is not None and not place.was_given_back


def may_renew(model: Core, name: str) -> bool:
    writer = model.writers[name]
    return writer.lost or (writer.last is not None and writer.open is None)
