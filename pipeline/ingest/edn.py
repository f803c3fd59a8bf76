"""Jepsen histories of the Kafka workload as events.

One line is one operation: an invocation `[[:send k v] [:poll]]`, a completion `[[:send k [o v]] [:poll {k [[o v] ...]}]]`, or the logs
that a consumer is assigned. A log is what Jepsen calls a key. A completion belongs to the last invocation of its process. The
nemesis's actions are no client's operations, and are kept without one.
"""

from collections.abc import Iterator
from typing import Any

from .edn_reader import MalformedEdn

_POSITIONS = ("assign", "subscribe")


def event(value: Any) -> dict[str, Any]:
    """One operation map as an event; `MalformedEdn` names what is wrong with it."""
    if not isinstance(value, dict):
        raise MalformedEdn("expected a map, one operation a line")
    process = value.get("process")
    f = str(value.get("f", ""))
    nemesis = process is None or process == "nemesis"
    time, kind = value.get("time", -1), value.get("type")
    if not isinstance(kind, str | None):
        raise MalformedEdn(f":type is {str(kind)[:80]}, expected a keyword")
    return {
        "idx": _number(value.get("index"), ":index"),
        "t_ns": _number(time, ":time") if isinstance(time, int) else -1,
        "process": None if nemesis else str(process),
        "type": kind,
        "f": "nemesis" if nemesis else f,
        "iso": "rc",
        "mops": [] if nemesis else _mops(f, value.get("value")),
        "ctl": _control(value),
        "error": None if value.get("error") is None else {"class": None, "msg": str(value["error"]), "definite": None},
    }


def _control(value: dict[str, Any]) -> dict[str, str]:
    entries = [entry for entry in _listed(value.get("rebalance-log")) if isinstance(entry, dict)]
    rebalanced = [str(key) for entry in entries for key in _listed(entry.get("keys"))]
    # The workload's pollers are consumers: they continue at their position, even where none was ever assigned a log.
    control = {"positions": "kept"} | ({"rebalanced": ",".join(rebalanced)} if rebalanced else {})
    return control | ({"from": "beginning"} if value.get("seek-to-beginning?") else {})


def _mops(f: str, value: Any) -> list[dict[str, Any]]:
    if f in _POSITIONS:
        return [{"m": f, "log": str(key)} for key in _listed(value)]
    if f in ("send", "poll", "txn"):
        return [mop for entry in _listed(value) for mop in _moved(entry)]
    return []


def _moved(entry: Any) -> Iterator[dict[str, Any]]:
    match entry:
        case ["send", key, [offset, value]] if offset is None or isinstance(offset, int):
            yield {"m": "send", "log": str(key), "o": _number(offset, "an offset"), "v": _text(value)}
        case ["send", key, value]:
            yield {"m": "send", "log": str(key), "o": None, "v": _text(value)}
        case ["poll"] | ["poll", None]:
            return
        case ["poll", dict(polled)]:
            for key, pairs in polled.items():
                for pair in _listed(pairs):
                    if not (isinstance(pair, list) and len(pair) == 2 and (pair[0] is None or isinstance(pair[0], int))):
                        raise MalformedEdn(f"polled {pair!r}, expected [offset value]")
                    yield {"m": "recv", "log": str(key), "o": _number(pair[0], "an offset"), "v": _text(pair[1])}
        case _:
            raise MalformedEdn(f"unknown micro-operation {str(entry)[:80]}, expected [:send k v] or [:poll {{k [[o v] ...]}}]")


def _number(value: Any, what: str) -> int | None:
    """An integer of 64 bits, or none."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not -(1 << 63) <= value < 1 << 63):
        raise MalformedEdn(f"{what} is {str(value)[:80]}, expected an integer of 64 bits")
    return value


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise MalformedEdn(f"found {str(value)[:80]}, expected a vector")
    return value


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
