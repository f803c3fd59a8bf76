"""Real requests of a scenario, as frames, and damaged ones: for tests of how a broker handles any bytes."""

import struct
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from message_fields import FIELDS, fitting
from reference_client import TOPIC, Client, Pair

from fencepost.reference.kafka import Profile
from fencepost.wire.kafka.entities import API_KEYS, request
from fencepost.wire.kafka.frames import encode_request
from fencepost.wire.kafka.schemas import request_class

FUZZ = settings(max_examples=3 * settings.default.max_examples, deadline=None, suppress_health_check=list(HealthCheck))
"""Three times as many examples as other tests have."""


class _Recording(Client):
    """Keeps what it asks."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        super().__init__()

    def send(self, api: str, version: int, **fields: Any) -> Any:
        self.frames.append(encode_request(request(api, version, **fields), len(self.frames), "recorded")[4:])
        return super().send(api, version, **fields)


def recorded() -> list[bytes]:
    """The frames of a scenario in which every API of the reference is asked, without their lengths."""
    client = _Recording()
    pair = client.producer("x")
    client.add("x", pair, 0, 1)
    client.verify("x", pair, 0)
    for version in (3, 9, 12):
        client.write("x", pair, 0, {3: 0, 9: 1, 12: 2}[version], version=version)
    topic_id = client.ask("metadata", 12, topics=None, include_topic_authorized_operations=False).topics[0].topic_id
    client.ask("metadata", 1, topics=[{"name": TOPIC}])
    for version in (0, 3, 4):
        fields = {"client_software_name": "n", "client_software_version": "v"} if version >= 3 else {}
        client.ask("api_versions", version, **fields)
    client.send("find_coordinator", 0, key="x")
    client.send("find_coordinator", 6, key_type=0, coordinator_keys=["g", "h"])
    client.ask("add_offsets_to_txn", 3, transactional_id="x", producer_id=pair.producer_id, producer_epoch=pair.epoch, group_id="g")
    offsets = [{"name": TOPIC, "partitions": [{"partition_index": 0, "committed_offset": 5, "committed_metadata": "m"}]}]
    for version in (0, 3, 5):
        fields = {"group_id": "g", "producer_id": pair.producer_id, "producer_epoch": pair.epoch, "topics": offsets}
        client.ask("txn_offset_commit", version, transactional_id="x", **fields)
    client.describe("x")
    client.known_producers(0)
    client.ask(
        "list_transactions", 2, state_filters=["Ongoing"], producer_id_filters=[], duration_filter=-1, transactional_id_pattern="x.*"
    )
    client.end("x", pair, commit=True)
    client.end("x", pair.plus(1), commit=False, version=3)
    client.ask("offset_fetch", 2, group_id="g", topics=None)
    wanted = [{"name": TOPIC, "partition_indexes": [0]}]
    client.ask("offset_fetch", 8, groups=[{"group_id": "g", "topics": wanted}], require_stable=True)
    by_id = [{"topic_id": topic_id, "partition_indexes": [0]}]
    client.ask("offset_fetch", 10, groups=[{"group_id": "g", "topics": by_id}], require_stable=True)
    client.fetch(0)
    client.end_offset(0)
    joining = {"protocol_type": "consumer", "protocols": [{"name": "range", "metadata": b"wants"}]}
    for version in (0, 9):
        fields = {"rebalance_timeout": 6000} if version else {}
        joined = client.ask("join_group", version, group_id="g", session_timeout=6000, member_id="", **joining, **fields)
        member = {"group_id": "g", "generation_id": joined.generation_id, "member_id": joined.member_id}
        named = {"protocol_type": "consumer", "protocol_name": "range"} if version else {}
        brought = [{"member_id": joined.member_id, "assignment": b"all"}]
        client.ask("sync_group", 5 if version else 0, assignments=brought, **member, **named)
        client.ask("heartbeat", 4, **member)
    entry = {"group_id": "g", "generation_id_or_member_epoch": -1, "member_id": "", "topics": offsets}
    client.ask("offset_commit", 2, retention_time=-1, **entry)
    client.ask("offset_commit", 9, **entry)
    client.ask("leave_group", 5, group_id="g", members=[{"member_id": joined.member_id, "group_instance_id": None, "reason": None}])
    client.mark(pair, 0, commit=True, transaction_version=2)
    client.mark(Pair(7, 3), 1, commit=False)
    for api, (lowest, highest) in Profile.load("seed").apis.items():
        for version in {lowest, highest}:
            client.send(api, version, **fitting(request_class(API_KEYS[api], version), FIELDS[api]))
    return client.frames


_NUMBERS = (0, 1, -1, -2, 2, 127, -128, 32_767, -32_768, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))


@st.composite
def damaged(draw: st.DrawFn, frames: list[bytes]) -> bytes:
    """One of the frames, with up to four things done to it."""
    data = bytearray(draw(st.sampled_from(frames)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.sampled_from(("flip", "number", "cut", "lengthen", "repeat", "remove", "byte"))):
            case "flip" if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "byte" if data:
                data[at] = draw(st.integers(0, 255))
            case "number":
                size, number = draw(st.sampled_from((1, 2, 4, 8))), draw(st.sampled_from(_NUMBERS))
                data[at : at + size] = struct.pack(">q", number)[-size:]
            case "cut":
                del data[at:]
            case "lengthen":
                data += draw(st.binary(max_size=64))
            case "repeat":
                end = draw(st.integers(at, len(data)))
                data[at:at] = data[at:end] * draw(st.integers(1, 20))
            case "remove":
                del data[at : draw(st.integers(at, len(data)))]
    return bytes(data)
