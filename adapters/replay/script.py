"""The text of a script: the part that all scripts share, the requests of this red, and the fields that decide."""

import importlib.resources
import pprint
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fencepost.adapters.kafka.kafka_recording import RecordedRequest
from fencepost.wire.kafka.entities import plain
from fencepost.wire.kafka.message_fields import shape_of

from .bindings import Bindings, RequestPiece
from .conversation import Parting, RepeatedRequest
from .runtime import RETRIABLE, Names, flat

_TRANSACTION = frozenset({"init_producer_id", "add_partitions_to_txn", "add_offsets_to_txn", "end_txn", "describe_transactions"})
_GROUP = frozenset(
    {
        "txn_offset_commit", "offset_fetch", "offset_commit", "join_group", "sync_group", "heartbeat", "leave_group",
        "consumer_group_heartbeat", "describe_groups", "consumer_group_describe", "offset_delete", "delete_groups",
    }
)  # fmt: skip
_LEADER = frozenset({"produce", "fetch", "list_offsets", "describe_producers", "write_txn_markers", "delete_records"})
_PAUSE_MS = 300
"""The shortest pause of the red's client that a script repeats: something may have been due during it."""
_LONGEST_PAUSE_S = 120.0


def written(title: str, notes: Sequence[str], parting: Parting, bindings: Bindings, suffix: str, topics: Mapping[str, str]) -> str:
    """The program's text. `title` is what it shows, `notes` what a reader should know; `topics` has names by id."""
    runtime = importlib.resources.files(__package__).joinpath("runtime.py").read_text(encoding="utf-8")
    imports_from = runtime.index("import argparse")
    head = "\n".join([title, "", *notes])
    parts = [
        "#!/usr/bin/env python3",
        quoted(head),
        "",
        runtime[imports_from:].rstrip(),
        "",
        "",
        "# --- the requests of this red " + "-" * 96,
        *_requests(parting, bindings),
        "STEPS = [",
        *_steps(parting, suffix, topics),
        "]",
        "",
        "SEEN = " + pprint.pformat(dict(parting.seen), width=120, sort_dicts=False),
        "EXPECTED = " + pprint.pformat(dict(parting.expected), width=120, sort_dicts=False),
        "",
        f"raise SystemExit(main(STEPS, SEEN, EXPECTED, looks={parting.pairs[-1].red.only_looks}, story={title!r}))",
    ]
    return "\n".join(parts) + "\n"


def quoted(text: str) -> str:
    """A docstring with this text, whatever characters it has."""
    safe = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{safe}\n"""'


def _requests(parting: Parting, bindings: Bindings) -> Iterator[str]:
    for place, pair in enumerate(parting.pairs):
        yield f"def request_{place + 1}(broker: Broker) -> bytes:"
        yield f"    # {one_line(pair.red.call.client)}: {pair.red.title}"
        yield '    return b"".join((  # fmt: skip'
        depth = 0
        for piece in bindings.written(place):
            yield f"        {_line(piece, depth)}"
            depth += piece.expression.count("(") - piece.expression.count(")")
        yield "    ))"
        yield ""
        yield ""


def _line(piece: RequestPiece, depth: int) -> str:
    comma = "," if (depth == 0 and not piece.expression.endswith("(")) or piece.expression == ")" else ""
    return f"{piece.expression}{comma}" + (f"  # {one_line(piece.comment)}" if piece.comment else "")


def one_line(text: str) -> str:
    return " ".join(text.split()).replace('"""', "'''").replace("\\", "\\\\")


def _steps(parting: Parting, suffix: str, topics: Mapping[str, str]) -> Iterator[str]:
    before: RecordedRequest | None = None
    for number, pair in enumerate(parting.pairs, 1):
        red = pair.red
        request = red.call.request
        pause = 0.0 if before is None else red.call.at_ms - before.at_ms - before.took_ms
        wait = min(pause / 1000, _LONGEST_PAUSE_S) if pause >= _PAUSE_MS else 0.0
        final = sorted({*_codes(pair.red), *_codes(pair.reference)} & RETRIABLE)
        answer = request_answer_class(request)
        state = red.state_awaited() if number < len(parting.pairs) else ""
        yield f"    Step({red.call.client!r}, {red.title!r}, {int(request.__api_key__)}, {int(request.__version__)}, request_{number},"
        yield f"         {_to(red, suffix, topics)!r}, {request.__header_schema__.__flexible__}, wait_s={round(wait, 2)}, final={final},"
        yield f"         state={state!r}, shape={shape_of(answer)!r}),"
        before = red.call


def request_answer_class(request: Any) -> Any:
    """The class of the answer to a request."""
    from fencepost.wire.kafka.schemas import response_class

    return response_class(request.__api_key__, request.__version__)


def _codes(asked: RepeatedRequest) -> set[int]:
    answer = asked.answer()
    return set() if answer is None else {value for path, value in flat(answer, Names("")) if path.endswith("error_code")}


def _to(asked: RepeatedRequest, suffix: str, topics: Mapping[str, str]) -> tuple[str, str, int]:
    """The node that the request is for, by the names of the scenario."""
    request = plain(asked.call.request)
    if asked.api in _TRANSACTION and (name := _first(request, ("transactional_id", "v3_and_below_transactional_id", "transactional_ids"))):
        return "coordinator of a transaction", _named(name, suffix), 0
    if asked.api in _GROUP and (name := _first(request, ("group_id", "groups", "groups_names", "group_ids"))):
        return "coordinator of a group", _named(name, suffix), 0
    if asked.api in _LEADER:
        topic = _first(request, ("name", "topic", "topic_id"))
        if topic:
            place = _first(request, ("index", "partition", "partition_index", "partition_indexes"))
            return "leader", _named(topics.get(topic, topic), suffix), int(place or 0)
    return "any", "", 0


def _named(name: Any, suffix: str) -> str:
    return str(name).removesuffix(f"-{suffix}")


def _first(value: Any, names: Sequence[str]) -> Any:
    """The first value under one of these names, at any depth; if it is a list, its first entry."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in names and isinstance(inner, (str, int)):
                return inner
            if name in names and isinstance(inner, list) and inner and isinstance(inner[0], (str, int)):
                return inner[0]
            if (found := _first(inner, names)) is not None:
                return found
    elif isinstance(value, list):
        return next((found for inner in value if (found := _first(inner, names)) is not None), None)
    return None
