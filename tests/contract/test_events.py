"""The shapes of histories: what recorders write, and what the history checker reads."""

import json
import re
from typing import Any, get_type_hints

import pytest
from shapes import faults

from fencepost.adapters.engines import ENGINES
from fencepost.contract.events import Error, Event, Group, Mop, Transaction
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import Session
from fencepost.pipeline.ingest import schema

NOT_OURS = {"schema_version", "tx.seq", "mops.in_ref"}
"""What the checker reads of other recorders' histories; ours need not write it."""


def history_of(protocol: str) -> list[Any]:
    """What a session with the reference records, as it stands in a file: commits, aborts, refusals, and reads."""
    system = ENGINES[protocol].system("seed", None, 1.0)
    system.open()
    session = system.session("shapes", frozenset({"crash"}))
    converse(session)
    session.close()
    return [json.loads(json.dumps(event)) for event in session.history("run")]


def converse(session: Session) -> None:
    log = session.transactional_log()
    log.create("in")
    log.create("out")
    log.write("in", "a")
    writer = log.writer("W", 60_000)
    assert isinstance(writer, Done)
    for commit in (True, False):
        writer.value.begin()
        writer.value.write("out", "b")
        writer.value.take("g", "in", 1)
        writer.value.end(commit)
    writer.value.end_again(commit=True)
    log.committed("out")
    log.left("g", "in")
    session.faults.crash()
    log.write("in", "lost")


@pytest.mark.parametrize("protocol", sorted(ENGINES))
def test_what_is_recorded_has_the_shape(protocol: str) -> None:
    """Every field is there, none besides, each with a value of its type."""
    history = history_of(protocol)

    assert {"invoke", "ok", "fail"} <= {event["type"] for event in history}
    assert {"send", "poll", "commit", "abort", "ack", "probe"} <= {event["f"] for event in history}
    assert [fault for event in history for fault in faults(event, Event)] == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"f": "sned"}, "event.f: 'sned' is not one of"),
        ({"node": None}, "event.node: None is no"),
        ({"more": 1}, "event: more is not a field of Event"),
        ({"mops": [{"m": "send"}]}, r"event.mops\[0\]: log is missing"),
        ({"grp": {"id": 3}}, "event.grp: {'id': 3} is none of"),
        ({"error": {"class": "lost", "code": None, "msg": None}}, "event.error: .* is none of"),
    ],
)
def test_another_shape_is_found(change: dict[str, Any], fault: str) -> None:
    """The check above can fail."""
    changed = history_of("kafka")[0] | change

    assert any(re.match(fault, found) for found in faults(changed, Event))


def test_the_checker_reads_what_is_recorded() -> None:
    """Each field of the checker's schema is one that recorders write, unless it is for the histories of others."""
    shapes = {"": Event, "tx.": Transaction, "grp.": Group, "mops.": Mop, "error.": Error}
    written = {f"{path}{name}" for path, shape in shapes.items() for name in get_type_hints(shape)}
    read = set(schema.EVENT.names)
    for name in ("tx", "grp", "error"):
        read |= {f"{name}.{field}" for field in schema.EVENT[name].dataType.names}
    read |= {f"mops.{field}" for field in schema.MOP.names}

    assert read - written == NOT_OURS
