"""What makes an event in every format: the version, the fields that each needs, and the reasons for refusing one."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

VERSION = 1
OUTCOMES = ("invoke", "ok", "fail", "info")
NEEDED = ("run_id", "idx", "op_id", "type", "f")
ISOLATIONS = ("rc", "ru")
KINDS = ("send", "recv", "offset", "position", "ack_ind", "ack_cum", "assign", "subscribe")
"""What a mop may be: a judge that ignored a misspelled one would be green."""
_BITS = 63
_NUMBERS = ("schema_version", "idx", "t_ns", "op_id")
_NUMBERS_IN = {"tx": ("pid", "epoch", "seq"), "grp": ("gen",), "ctl": (), "error": ()}
_NUMBERS_OF_A_RECORD = ("o", "seq", "hash")
_LONGEST = 80
NOT_AN_EVENT = "not one JSON object of the event's fields; the line may be cut off"
NOT_UTF_8 = "not UTF-8"


def flaw(event: Mapping[str, Any]) -> str | None:
    """What an event with fields of the right types lacks, or None."""
    version = event.get("schema_version")
    if version is not None and version != VERSION:
        return f"schema version {version} is not known, expected {VERSION}"
    for name in NEEDED:
        if event.get(name) is None:
            return f"has no {name}"
    kind, iso = event["type"], event.get("iso")
    if kind not in OUTCOMES:
        return f"type is {kind}, expected {', '.join(OUTCOMES)}"
    if kind == "invoke" and event["op_id"] != event["idx"]:
        return f"op_id is {event['op_id']}, expected {event['idx']}, the idx of this invocation"
    if iso is not None and iso not in ISOLATIONS:
        return f"iso is {iso}, expected {', '.join(ISOLATIONS)}"
    odd = [mop.get("m") for mop in event.get("mops") or () if mop is not None and mop.get("m") not in KINDS]
    return f"m is {odd[0]}, expected {', '.join(KINDS)}" if odd else None


def misfit(said: Mapping[str, Any]) -> str | None:
    """The field of an event that has a value of the wrong type, or None."""
    mops = said.get("mops")
    if mops is not None and not isinstance(mops, list):
        return _expected("mops", mops, "a list")
    objects = [(name, said.get(name), numbers) for name, numbers in _NUMBERS_IN.items()]
    objects += [("a mop", mop, _NUMBERS_OF_A_RECORD) for mop in mops or ()]
    for name, value, numbers in [("", said, _NUMBERS), *objects]:
        if value is not None and (why := _misfit(name, value, numbers)):
            return why
    return None


def _misfit(name: str, value: object, numbers: Iterable[str]) -> str | None:
    if not isinstance(value, Mapping):
        return _expected(name, value, "an object")
    for number in numbers:
        one = value.get(number)
        if one is not None and not (type(one) is int and -(1 << _BITS) <= one < 1 << _BITS):
            return _expected(number, one, "an integer of 64 bits")
    return None


def _expected(name: str, value: object, what: str) -> str:
    said = json.dumps(value, default=str)
    return f"{name} is {said if len(said) <= _LONGEST else said[:_LONGEST] + '...'}, expected {what}"
