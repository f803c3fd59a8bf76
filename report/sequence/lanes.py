"""The actors in the picture: clients to the left, in the order in which they appear, then the nodes that they ask."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .calls import Call

TRANSACTIONS, GROUPS, BROKER, LEADERS, ADMIN, STORE = (
    "transaction coordinator",
    "group coordinator",
    "broker",
    "leaders",
    "admin",
    "metadata store",
)
_ASKED = {
    TRANSACTIONS: {
        "init_producer_id",
        "end_txn",
        "add_partitions_to_txn",
        "add_offsets_to_txn",
        "describe_transactions",
        "list_transactions",
        "NEW_TXN",
        "ADD_PARTITION_TO_TXN",
        "ADD_SUBSCRIPTION_TO_TXN",
        "END_TXN",
        "TC_CLIENT_CONNECT_REQUEST",
        "WATCH_TC_ASSIGNMENTS",
    },
    GROUPS: {
        "txn_offset_commit",
        "offset_commit",
        "offset_fetch",
        "join_group",
        "sync_group",
        "heartbeat",
        "leave_group",
        "delete_groups",
    },
    LEADERS: {"produce", "fetch", "list_offsets", "describe_producers", "write_txn_markers", "delete_records"},
}
_ROLE_OF = {api: role for role, apis in _ASKED.items() for api in apis}
_OF_LOGS = frozenset({"SEND", "MESSAGE", "ACK", "SUBSCRIBE", "SEEK", "UNSUBSCRIBE", "GET_LAST_MESSAGE_ID", "REACHED_END_OF_TOPIC"})
_ORDER = (TRANSACTIONS, GROUPS, BROKER, ADMIN, STORE)
_MOST_CLIENTS, _MOST_LOGS = 6, 6
_MORE_CLIENTS, _MORE_LOGS = "more clients", "more logs"
_SUFFIX = re.compile(r"-[0-9a-f]{6}(?![0-9a-f])")
_SCHEME = re.compile(r"^(?:persistent|non-persistent|segment|topic)://(?:[^/]+/[^/]+/)?")


def short(name: str) -> str:
    """A name without its session's suffix and without tenant and namespace: `payments-0`, `orders/0000-7fff-0`."""
    return _SCHEME.sub("", _SUFFIX.sub("", name))


@dataclass(frozen=True)
class Lanes:
    """The lanes from left to right, and the two lanes of each request."""

    names: tuple[str, ...]
    _asker: Mapping[int, str]
    _asked: Mapping[int, str]

    @classmethod
    def of(cls, calls: Sequence[Call]) -> "Lanes":
        """Those of these requests. Where there are too many clients or logs, the last ones share a lane."""
        askers = {call.began: call.client for call in calls}
        asked = {call.began: whom(call) for call in calls}
        clients = _few(
            [name for name in dict.fromkeys(askers.values()) if name not in (BROKER, "controller")], _MOST_CLIENTS, _MORE_CLIENTS
        )
        roles = [role for role in _ORDER if role in asked.values() or role in askers.values()]
        logs = _few([name for name in dict.fromkeys(asked.values()) if name not in roles], _MOST_LOGS, _MORE_LOGS)
        if "controller" in askers.values():
            roles.insert(0, "controller")
        shared = clients | logs
        # The observer, which checks whether something holds, is last among the clients.
        first = sorted(dict.fromkeys(clients.values()), key=lambda name: name == "observer")
        names = (*first, *roles, *dict.fromkeys(logs.values()))
        return cls(
            names,
            {began: shared.get(name, name) for began, name in askers.items()},
            {began: shared.get(name, name) for began, name in asked.items()},
        )

    def between(self, call: Call) -> tuple[int, int]:
        """The numbers of the lanes of a request's sender and receiver."""
        return self.names.index(self._asker[call.began]), self.names.index(self._asked[call.began])


def whom(call: Call) -> str:
    """The receiver of a request: a role, or the log that the request is about."""
    if call.node in (ADMIN, STORE):
        return call.node
    role = _ROLE_OF.get(call.api)
    if role == LEADERS or call.api in _OF_LOGS:
        return next(_logs(call), LEADERS if role else BROKER)
    return role or BROKER


def _logs(call: Call) -> Iterator[str]:
    for event in (call.asked, call.answered or {}):
        yield from (short(str(mop["log"])) for mop in event.get("mops") or () if mop.get("log"))
        about = event.get("ctl") or {}
        yield from (short(str(log["log"])) for log in seen_logs(about) if log.get("log"))
        if topic := about.get("topic"):
            yield short(str(topic))
        yield from partitions_in(about.get("request"))


def seen_logs(about: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a Fetch showed of each log in addition to its records."""
    logs = about.get("logs")
    yield from (log for log in logs if isinstance(log, Mapping)) if isinstance(logs, list) else ()


def partitions_in(value: Any, topic: str = "") -> Iterator[str]:
    """The partitions that a request or an answer names, at any depth."""
    match value:
        case Mapping():
            topic = str(next((value[key] for key in ("topic", "name", "topic_name") if isinstance(value.get(key), str)), topic))
            index = next((value[key] for key in ("partition_index", "index", "partition") if isinstance(value.get(key), int)), None)
            if topic and index is not None:
                yield short(f"{topic}-{index}")
            for key, inner in value.items():
                if key in ("partitions", "partition_indexes") and _all_integers(inner):
                    yield from (short(f"{topic}-{number}") for number in inner)
                else:
                    yield from partitions_in(inner, topic)
        case list() | tuple():
            for inner in value:
                yield from partitions_in(inner, topic)


def _all_integers(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, int) for one in value)


def _few(names: Iterable[str], most: int, rest: str) -> dict[str, str]:
    """Each name with the lane that it has."""
    found = list(names)
    return {name: name if number < most or len(found) == most + 1 else rest for number, name in enumerate(found)}
