"""The lines that several of KIP-890's acts share: requests, answers, what readers see, and what must not have changed."""

from collections.abc import Iterable

from .act import ActLine, LinesOf, joined
from .kip890_model import Kip890Clients

NEEDS = frozenset({"transactions-v2"})
"""What all of these acts need of a system."""


_LINES = LinesOf("KIP890")
given, when, then = _LINES.given, _LINES.when, _LINES.then


def quoted(values: Iterable[str]) -> str:
    """Values in the words of a sentence."""
    return ", ".join(f'"{value}"' for value in values) or "nothing"


def not_grown(model: Kip890Clients, partition: str, why: str) -> list[ActLine]:
    """The log is as it was before the When; a record that shows it is written there."""
    if not model.is_quiet or partition in model.unread:
        return []
    model.write_outside(partition, "sentinel")
    return [then(f"the log of {partition} has not grown", why)]


def unchanged(model: Kip890Clients, name: str, why: str) -> list[ActLine]:
    """The coordinator reports the same as before the When."""
    return [then(f"the transaction of {name} is unchanged", why)] if model.is_quiet else []


def markers(model: Kip890Clients, name: str, kind: str, why: str, *, bumps: bool) -> list[ActLine]:
    """The markers that the end of a producer's open transaction adds, where that can be seen; `bumps` where they have the next epoch."""
    current = model.producers[name].open
    added = sorted(current.added) if current else []
    if not added or not model.is_quiet or not model.unread.isdisjoint(added):
        return []
    epoch = "the next epoch" if bumps else "the epoch"
    return [then(f"only {kind} markers were added to {joined(added)}, with {epoch} of {name}", why)]


def refused(
    model: Kip890Clients, text: str, errors: str, why: str, *, name: str, partition: str | None = None, ids: bool = False
) -> list[ActLine]:
    """A request that is refused, and changes nothing; `ids` where its answer has room for a producer id."""
    lines = [when(text, why), then(f"it is refused{'' if errors.startswith(' for') else ' with '}{errors}", why)]
    lines += [then("the refusal has no producer id", why)] if ids else []
    return [*lines, *unchanged(model, name, why), *(not_grown(model, partition, why) if partition else [])]


def readers(model: Kip890Clients, partition: str) -> list[ActLine]:
    """What readers of committed data see, and up to where."""
    model.under_way.clear()
    first = model.first_undecided(partition)
    end = "the high watermark" if first is None else f'the offset of "{first}"'
    return [
        then(f"readers of {partition} see {quoted(model.visible(partition))}", _why(model, partition)),
        then(f"the last stable offset of {partition} is {end}", "135" if first is None else "137"),
    ]


def everything(model: Kip890Clients, partition: str) -> list[ActLine]:
    """What readers of all data see, where clients can know it."""
    model.under_way.clear()
    if not model.is_all_there(partition):
        return []
    return [then(f"read_uncommitted readers of {partition} see {quoted(model.stored(partition))}", "141")]


def listed_as_aborted(model: Kip890Clients, partition: str) -> list[ActLine]:
    """The aborted transactions that a Fetch lists, where all are of one producer."""
    model.under_way.clear()
    if partition in model.cut or not model.is_all_there(partition):
        return []
    if not model.aborted[partition]:
        return [then(f"a read_committed Fetch of {partition} lists no aborted transaction", "139")]
    found = model.aborted_by_one(partition)
    if found is None or len(found[1]) > 2 or model.first_undecided(partition) is not None:
        return []
    name, values = found
    several = "transactions" if len(values) > 1 else "transaction"
    firsts = joined([f'"{value}"' for value in values])
    return [then(f"a read_committed Fetch of {partition} lists the aborted {several} of {name} from {firsts}", "139")]


def offsets(model: Kip890Clients, group: str, partition: str) -> list[ActLine]:
    """The offsets of a group for a partition."""
    model.under_way.clear()
    committed = model.offsets.get((group, partition))
    state = f"committed offset {committed[0]}" if committed else "no committed offset"
    pending = "a pending offset" if model.pending(group, partition) else "no pending offset"
    why = "053" if committed else "054"
    return [
        then(f"group {group} has {state} of {partition}", why),
        then(f"group {group} has {pending} of {partition}", "052"),
    ]


def _why(model: Kip890Clients, partition: str) -> str:
    if model.has_crashed:
        return "160"
    if model.first_undecided(partition) is not None:
        return "137"
    return "140"
