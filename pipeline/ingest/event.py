"""What makes an event in every format: the version, the fields that each needs, and the reasons for refusing one."""

from collections.abc import Mapping
from typing import Any

VERSION = 1
OUTCOMES = ("invoke", "ok", "fail", "info")
NEEDED = ("run_id", "idx", "op_id", "type", "f")
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
    kind = event["type"]
    return None if kind in OUTCOMES else f"type is {kind}, expected {', '.join(OUTCOMES)}"
