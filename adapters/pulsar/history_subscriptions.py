"""Subscriptions that were removed and made again under their name: each life is a separate group in a history."""

from collections import defaultdict
from collections.abc import Sequence

from fencepost.contract.events import Event
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

from .pulsar_recording import PulsarCall


class Lives:
    """When each subscription was removed, by the moments of the session's record."""

    def __init__(self, calls: Sequence[PulsarCall]) -> None:
        self._removed: defaultdict[tuple[object, object], list[int]] = defaultdict(list)
        for call in calls:
            if call.name == "UNSUBSCRIBE" and isinstance(call.answer, Frame) and isinstance(call.answer.body, pb.CommandSuccess):
                self._removed[call.about.get("topic"), call.about.get("subscription")].append(call.ended or 0)

    def name(self, event: Event, call: PulsarCall) -> None:
        """Add the number of its life to the event's subscription; the first life has the name alone."""
        group = event["grp"]
        if group is None:
            return
        topic = event["ctl"].get("topic") or next((mop["topic"] for mop in event["mops"]), None) or call.about.get("topic")
        if lives := sum(ended < call.began for ended in self._removed.get((topic, group["id"]), ())):
            group["id"] = f"{group['id']}, life {lives + 1}"
