"""Acts of KIP-890 that are to be refused, from any client at any time: each names the error, and what it must not have changed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .act import Act, ActLine
from .kip890_lines import NEEDS, given, not_grown, then, unchanged, when
from .kip890_model import PARTITIONS, Kip890Clients
from .kip890_transactions import is_idle, is_new, is_old, may_act
from .kip890_words import AHEAD

_Condition = Callable[..., bool]
_OF_A_KIND = 5
_NO_OFFSETS = "the refusal has base offset -1 and no wrong log start offset of {p}"


@dataclass(frozen=True)
class ExpectedRefusal:
    """A request, the errors with which it may be refused, and the requirement; {x} is its producer, {p} a partition, {v} a value.

    `version` is the one that the producer uses for this alone; without errors, `more` has what is expected instead.
    """

    asks: str
    errors: str
    why: str
    may_come: _Condition
    version: str = ""
    more: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in a table of acts."""
        return self.asks.replace('"{v}"', "a value") + (f" by {self.version}" if self.version else "")

    @property
    def answers(self) -> list[str]:
        """The sentences about its answer."""
        if not self.errors:
            return list(self.more)
        where = next((f" for {place}" for part, place in _BY_PARTITION.items() if part in self.asks), "")
        said = [f"it is refused{where} with {self.errors}"]
        if "ts with " in self.asks and not self.version:
            said.append("the refusal has producer id -1 and epoch -1")
        if "initialises" in self.asks:
            said.append("the refusal has no producer id")
        return [*said, *self.more]


def _has_previous(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_new(model, name) and len(model.producers[name].past) > 1 and not model.producers[name].has_moved


def _has_previous_completed(model: Kip890Clients, name: str, *_: str) -> bool:
    """A group that does not verify a request learns of the end of the previous epoch by its marker."""
    return _has_previous(model, name) and model.is_quiet


def _left_its_previous(model: Kip890Clients, name: str, *_: str) -> bool:
    """A leader knows that its previous epoch is over: no old client's end, whose marker has the same epoch, was the last one in it. After
    such an end the first batch of that epoch arrives again, and is no stray.
    """
    return _has_previous(model, name) and model.producers[name].past[-2] != "used"


def _has_two(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_new(model, name) and len(model.producers[name].past) > 2 and not model.producers[name].has_moved


def _has_none_of(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return may_act(model, name) and (current is None or partition not in current.added)


def _has_no_records(model: Kip890Clients, name: str, partition: str) -> bool:
    return is_new(model, name) and not model.producers[name].written[partition] and partition not in model.unread


def _is_in(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return may_act(model, name) and current is not None and partition in current.added


def _has_records(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return is_new(model, name) and current is not None and bool(current.values_in(partition))


def _is_stranger(model: Kip890Clients, name: str, partition: str) -> bool:
    return is_new(model, name) and _has_none_of(model, name, partition)


def _has_no_offsets(model: Kip890Clients, name: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return is_new(model, name) and (current is None or not current.has_offsets)


def _is_idle_and_seen(model: Kip890Clients, name: str) -> bool:
    """What the request changes is noticed, so that a release that is known to open a transaction by it ends the sequence."""
    return is_idle(model, name) and model.is_quiet


def _both(one: _Condition, other: _Condition) -> _Condition:
    return lambda model, name, *rest: one(model, name, *rest) and other(model, name, *rest)


_BY_PARTITION = {
    "{x} adds {p}": "{p}",
    "verifies {p}": "{p}",
    "of payments-0 and payments-1 to": "payments-0 and payments-1",
    "of payments-0 to": "payments-0",
}
"""The partitions in the answer to a request, by a part of its sentence."""
_AFTERWARDS = {
    "Produce": "v12",
    "EndTxn": "v5",
    "InitProducerId": "v5",
    "AddPartitionsToTxn": "v3",
    "AddOffsetsToTxn": "v3",
    "TxnOffsetCommit": "v5",
}
"""The versions that a new client uses otherwise."""
_BY_THE_LOG = {"108", "113", "115", "210", "365"}
"""Requirements about what the log refuses after the coordinator has added the partition: something may be left over."""
_LATE, _VERY_LATE = "with its previous epoch", "with the epoch before its previous one"
_SHORTER = "with a shorter timeout"
_OF_B, _NO_ID = "with the producer id of B", "with no transactional id"
_UNUSED, _EMPTY = "with an unused transactional id", "with an empty transactional id"
_NONE = "INVALID_REQUEST or INVALID_PRODUCER_ID_MAPPING"
_ODD = "INVALID_RECORD or CORRUPT_MESSAGE"
_WRITES, _SENDS, _VERIFIES = (
    '{x} writes "{v}" to {p}',
    '{x} sends offset 9 of payments-0 to group "shop"',
    "the leader verifies {p} for {x}",
)
_ADDS_OFFSETS = '{x} adds the offsets of group "shop"'
_MESSAGE = ("the refusal has a message",)

REFUSALS = (
    ExpectedRefusal(f"{{x}} commits {AHEAD}", "PRODUCER_FENCED", "073", is_new),
    ExpectedRefusal(f"{{x}} aborts {AHEAD}", "PRODUCER_FENCED", "073", is_new),
    ExpectedRefusal(f"{{x}} commits {_UNUSED}", "INVALID_PRODUCER_ID_MAPPING", "074", is_new),
    ExpectedRefusal(f"{{x}} commits {_EMPTY}", "INVALID_REQUEST", "075", is_new),
    ExpectedRefusal(f"{{x}} commits {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "074", is_new),
    ExpectedRefusal(f"{{x}} commits {_VERY_LATE}", "PRODUCER_FENCED", "072", _has_two),
    ExpectedRefusal(f"{{x}} aborts {_VERY_LATE}", "PRODUCER_FENCED", "072", _has_two),
    ExpectedRefusal(f"{{x}} commits {_LATE}", "PRODUCER_FENCED", "087", _has_previous, "EndTxn v4"),
    ExpectedRefusal(f"{{x}} commits {_LATE}", "INVALID_PRODUCER_EPOCH", "087", _has_previous, "EndTxn v1"),
    ExpectedRefusal(f"{{x}} aborts {AHEAD}", "PRODUCER_FENCED", "087", is_new, "EndTxn v2"),
    ExpectedRefusal(f"{{x}} initialises again {_VERY_LATE}", "PRODUCER_FENCED", "018", _has_two),
    ExpectedRefusal(f"{{x}} initialises again {_VERY_LATE}", "INVALID_PRODUCER_EPOCH", "019", _has_two, "InitProducerId v3"),
    ExpectedRefusal(f"{{x}} initialises again {_OF_B}", "PRODUCER_FENCED", "020", may_act),
    ExpectedRefusal(f"{{x}} initialises again {_OF_B} {_SHORTER}", "PRODUCER_FENCED", "408", may_act),
    ExpectedRefusal(f"{{x}} initialises again {_VERY_LATE} {_SHORTER}", "PRODUCER_FENCED", "408", _has_two),
    ExpectedRefusal("{x} initialises again with a producer id but no epoch", "INVALID_REQUEST", "013", may_act),
    ExpectedRefusal("{x} initialises again with an epoch but no producer id", "INVALID_REQUEST", "013", may_act),
    ExpectedRefusal("{x} initialises again with a timeout of zero", "INVALID_TRANSACTION_TIMEOUT", "012", may_act),
    ExpectedRefusal("{x} initialises again with a negative timeout", "INVALID_TRANSACTION_TIMEOUT", "012", may_act),
    ExpectedRefusal(
        "{x} initialises again in an unsupported version", "", "008", may_act, more=("the connection is closed without an answer",)
    ),
    ExpectedRefusal(f"{_WRITES} {AHEAD}", "INVALID_PRODUCER_EPOCH", "102", may_act),
    ExpectedRefusal(f"{_WRITES} {_LATE}", "INVALID_PRODUCER_EPOCH", "100", _has_previous),
    ExpectedRefusal(f"{_WRITES} {_LATE}", "INVALID_PRODUCER_EPOCH", "206", _both(_has_previous, _is_in), "Produce v11"),
    ExpectedRefusal(f"{_WRITES} {AHEAD}", "INVALID_PRODUCER_EPOCH", "102", _both(is_new, _is_in), "Produce v11"),
    ExpectedRefusal(f"{_WRITES} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "103", is_new),
    ExpectedRefusal(f"{_WRITES} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "103", _both(is_new, _is_in), "Produce v11"),
    ExpectedRefusal(f"{_WRITES} {_NO_ID}", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "106", may_act),
    ExpectedRefusal(f"{_WRITES} {_EMPTY}", _NONE, "214", _both(is_new, _has_none_of)),
    ExpectedRefusal(f"{_WRITES} {_UNUSED}", "INVALID_PRODUCER_ID_MAPPING or INVALID_TXN_STATE", "404", _both(is_old, _has_none_of)),
    ExpectedRefusal(f"{_WRITES} at sequence 0 {_LATE}", "INVALID_PRODUCER_EPOCH", "101", _left_its_previous),
    ExpectedRefusal(f"{_WRITES} outside of its transaction", "INVALID_TXN_STATE", "107", _has_records),
    ExpectedRefusal(f"{_WRITES}", "INVALID_TXN_STATE", "095", _is_stranger, "Produce v9", (*_MESSAGE, _NO_OFFSETS)),
    ExpectedRefusal(f"{_WRITES}", "INVALID_TXN_STATE", "095", _is_stranger, "Produce v10", _MESSAGE),
    ExpectedRefusal(f"{_WRITES}", "TRANSACTION_ABORTABLE", "096", _is_stranger, "Produce v11"),
    ExpectedRefusal(f"{_WRITES}", "TRANSACTION_ABORTABLE", "099", _both(is_old, _has_none_of)),
    ExpectedRefusal(f"{_WRITES} at sequence 5", "OUT_OF_ORDER_SEQUENCE_NUMBER", "108", _has_no_records),
    ExpectedRefusal(f"{_WRITES} at sequence 77", "OUT_OF_ORDER_SEQUENCE_NUMBER", "113", _has_records),
    ExpectedRefusal("{x} writes 2 batches to {p} in one request", "INVALID_RECORD", "210", is_new),
    ExpectedRefusal("{x} writes a COMMIT marker to {p}", "INVALID_RECORD", "115", is_new),
    ExpectedRefusal("{x} writes a damaged batch to {p}", "CORRUPT_MESSAGE", "365", _has_records),
    ExpectedRefusal("{x} writes an empty batch to {p}", _ODD, "365", _has_records),
    ExpectedRefusal("{x} writes a batch with a base offset of 1 to {p}", _ODD, "365", _has_records),
    ExpectedRefusal(f"{{x}} adds {{p}} {_LATE}", "PRODUCER_FENCED", "032", _has_previous),
    ExpectedRefusal(f"{{x}} adds {{p}} {AHEAD}", "PRODUCER_FENCED", "032", may_act),
    ExpectedRefusal(f"{{x}} adds {{p}} {AHEAD}", "INVALID_PRODUCER_EPOCH", "032", may_act, "AddPartitionsToTxn v1"),
    ExpectedRefusal(f"{{x}} adds {{p}} {_UNUSED}", "INVALID_PRODUCER_ID_MAPPING", "031", may_act),
    ExpectedRefusal(f"{{x}} adds {{p}} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "031", may_act),
    ExpectedRefusal(f"{{x}} adds {{p}} {_EMPTY}", "INVALID_REQUEST", "044", may_act),
    ExpectedRefusal("{x} adds no partition at all", "", "275", _is_idle_and_seen),
    ExpectedRefusal(_VERIFIES, "TRANSACTION_ABORTABLE or INVALID_TXN_STATE", "039", _has_none_of),
    ExpectedRefusal(f"{_VERIFIES} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "041", may_act),
    ExpectedRefusal(f"{_VERIFIES} {AHEAD}", "PRODUCER_FENCED", "041", may_act),
    ExpectedRefusal(f"{_VERIFIES} {_LATE}", "PRODUCER_FENCED", "206", _both(_has_previous, _is_in)),
    ExpectedRefusal(f"{_SENDS} {_LATE}", "INVALID_PRODUCER_EPOCH", "051", _has_previous),
    ExpectedRefusal(f"{_SENDS} {_LATE}", "INVALID_PRODUCER_EPOCH", "051", _has_previous_completed, "TxnOffsetCommit v3"),
    ExpectedRefusal(f"{_SENDS} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "050", is_new),
    ExpectedRefusal(f"{_SENDS} {_OF_B}", "INVALID_PRODUCER_ID_MAPPING", "050", is_new, "TxnOffsetCommit v3"),
    ExpectedRefusal(f"{_SENDS} {_EMPTY}", _NONE, "214", _has_no_offsets),
    ExpectedRefusal('{x} sends offset 9 of payments-0 and payments-1 to group ""', "INVALID_GROUP_ID", "056", is_new),
    ExpectedRefusal(_SENDS, "INVALID_TXN_STATE", "048", _has_no_offsets, "TxnOffsetCommit v3"),
    ExpectedRefusal(_SENDS, "TRANSACTION_ABORTABLE", "049", _has_no_offsets, "TxnOffsetCommit v4"),
    ExpectedRefusal(f"{_ADDS_OFFSETS} {_LATE}", "PRODUCER_FENCED", "380", _has_previous),
    ExpectedRefusal(f"{_ADDS_OFFSETS} {_LATE}", "INVALID_PRODUCER_EPOCH", "380", _has_previous, "AddOffsetsToTxn v1"),
    ExpectedRefusal(f"{_ADDS_OFFSETS} {_EMPTY}", _NONE, "214", may_act),
)
"""The requests that are refused."""


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of clients that are refused, and of leaders that verify: those of some requests in a row are one kind."""
    for first in range(0, len(REFUSALS), _OF_A_KIND):
        yield from _of_one_kind(REFUSALS[first : first + _OF_A_KIND])


def _of_one_kind(rows: Sequence[ExpectedRefusal]) -> Iterator[Act[Kip890Clients]]:
    said = {f"{number}": _says(row) for number, row in enumerate(rows)}

    def says(model: Kip890Clients, name: str, *rest: str) -> list[ActLine]:
        return said[rest[-1]](model, name, *rest)

    for number, row in enumerate(rows):
        may_come, needs_b = _condition(row), "of B" in row.asks
        for x in ("A",):
            for p in PARTITIONS[:2] if "{p}" in row.asks else ("",):
                arguments = (x, *((p,) if p else ()), *(("B",) if needs_b else ()), f"{number}")
                yield Act(row.name.format(x=x, p=p), _without_number(may_come), says, arguments, NEEDS)


def _without_number(may_come: _Condition) -> _Condition:
    """The number only says which request of its kind it is."""
    return lambda model, *arguments: may_come(model, *arguments[:-1])


def _condition(row: ExpectedRefusal) -> _Condition:
    if "of B" not in row.asks:
        return row.may_come

    def may_come(model: Kip890Clients, *names: str) -> bool:
        """A leader that knows the producer id judges it by its epoch, or does not verify it."""
        other = model.producers["B"]
        return row.may_come(model, *names[:-1]) and other.past == ["begun"] and other.open is None

    return may_come


def _left_over(model: Kip890Clients, name: str, row: ExpectedRefusal) -> str:
    """The requirement that is violated where a refused request has changed the transaction."""
    if row.why in _BY_THE_LOG:
        return "273"
    return "272" if "initialises" in row.asks and model.producers[name].open is not None else row.why


def _says(row: ExpectedRefusal) -> Callable[..., list[ActLine]]:
    def lines(model: Kip890Clients, name: str, *rest: str) -> list[ActLine]:
        partition = rest[0] if "{p}" in row.asks else ""
        values = {"x": name, "p": partition, "v": model.new_value("stray")}
        said = [given(f"{name} uses {row.version}", row.why)] if row.version else []
        said.append(when(row.asks.format(**values), row.why))
        said += [then(answer.format(**values), row.why) for answer in row.answers]
        said += unchanged(model, name, _left_over(model, name, row))
        said += not_grown(model, partition, row.why) if " writes " in row.asks else []
        if row.version:
            api = row.version.split()[0]
            said.append(given(f"{name} uses {api} {_AFTERWARDS[api]}", row.why))
        return said

    return lines
