"""The calls that read a scalable topic's layout and change it. PIP-468, "Admin API".

Pulsar 5.0.0-M1 refuses a change with 500 and an exception. An exception whose name means that the change was never begun is a refusal here
too; after another one the outcome is unknown, as after every 500.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .administration import refusal
from .client import PendingAdministration, PulsarClient
from .layout_reading import layout_of_answer
from .layout_values import PendingChange, ReportedLayout
from .scalable_topics import ScalableTopicCalls, scalable_path

_REFUSING = ("IllegalArgumentException", "IllegalStateException", "Failed to initialize controller")
"""Texts in a 500 that was answered before anything was changed."""
_REASON = re.compile(r"Message: (?P<reason>[^\n\\]*)")


class LayoutCalls(ScalableTopicCalls):
    """Layouts of scalable topics by their full names, topic://tenant/namespace/topic, and changes of layouts."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._changing: list[PendingAdministration] = []

    def layout(self, topic: str, *, retry: bool = True) -> Outcome[ReportedLayout]:
        """The whole layout, with sealed segments, as the admin interface has it. Raises Malformed for an unsound layout."""
        return self._offered(lambda: self._look(scalable_path(topic), lambda answer: layout_of_answer(topic, answer), retry=retry))

    def scalable_topics(self, namespace: str = "public/default") -> Outcome[tuple[str, ...]]:
        """The scalable topics of a namespace, by their full names, sorted."""
        return self._offered(lambda: self._look(f"/admin/v2/scalable/{namespace}", lambda answer: tuple(sorted(map(str, answer)))))

    def split(self, topic: str, number: int) -> Outcome[None]:
        """Split a segment: it is sealed, and two children share its hashes."""
        return self._offered(lambda: self._changed(self._begin(topic, f"split/{number}")))

    def merge(self, topic: str, *numbers: int) -> Outcome[None]:
        """Merge neighbours: they are sealed, and one child has all their hashes."""
        return self._offered(lambda: self._changed(self._begin(topic, f"merge/{'/'.join(map(str, numbers))}")))

    def begin_split(self, topic: str, number: int) -> Outcome[PendingChange]:
        """Request a split without waiting; `changed` waits for its outcome. Done means only that it was requested."""
        return self._begun(topic, f"split/{number}")

    def begin_merge(self, topic: str, *numbers: int) -> Outcome[PendingChange]:
        """Request a merge without waiting, likewise."""
        return self._begun(topic, f"merge/{'/'.join(map(str, numbers))}")

    def changed(self, pending: PendingChange, *, within_s: float | None = None) -> Outcome[None]:
        """Wait for the outcome of a change that was requested. After Unknown the caller can wait again."""
        return self._changed(self._changing[pending.number], within_s)

    def terminate_segment(self, segment_topic: str) -> Outcome[None]:
        """Terminate one segment without the controller, by the call that the controller itself makes: the layout keeps it as active."""
        path = f"/admin/v2/segments/{segment_topic.partition('://')[2]}/terminate"
        return self._offered(lambda: self._changed(self._client.begin_administering(AdminRequest("POST", path))))

    def _begun(self, topic: str, what: str) -> Outcome[PendingChange]:
        def begin() -> Outcome[PendingChange]:
            self._changing.append(self._begin(topic, what))
            return Done(PendingChange(topic, what, len(self._changing) - 1))

        return self._offered(begin)

    def _begin(self, topic: str, what: str) -> PendingAdministration:
        return self._client.begin_administering(AdminRequest("POST", f"{scalable_path(topic)}/{what}"))

    def _changed(self, pending: PendingAdministration, within_s: float | None = None) -> Outcome[None]:
        match self._client.administered(pending, self._within(within_s)):
            case Done(AdminAnswer(status, body)):
                return Done(None) if status < HTTPStatus.MULTIPLE_CHOICES else _how_refused(pending.request, status, body)
            case unknown:
                return unknown


def _how_refused(request: AdminRequest, status: int, body: bytes) -> Refused | Unknown:
    said = body.decode(errors="replace")
    found = _REASON.search(said)
    if status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return refusal(status, body)
    if found is not None and any(name in said for name in _REFUSING):
        return Refused(HTTPStatus(status).phrase, status, found["reason"])
    return Unknown(f"{request} was answered {refusal(status, body)}, which leaves open whether it was done")
