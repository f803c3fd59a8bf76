"""Layouts, registered subscriptions and notes of changes in the metadata store, each read and written with its version."""

import json
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from fencepost.reference.metadata.store import NEW, MetadataStore, Version, VersionConflict, under
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from . import paths
from .layout import Layout
from .layout_records import MalformedLayout, decoded, encoded


@dataclass(frozen=True)
class StoredLayout:
    """A layout and the version of its record."""

    layout: Layout
    version: Version


class ChangeNote(BaseModel):
    """A change that has begun: which segments it seals, which ranges their children have, and its step.

    Until `step` is `sealing` the parents are unchanged. `children` has the numbers that were next when the change began; `ranges` has their
    first and last hashes, in the same order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parents: tuple[int, ...]
    children: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    subscriptions: tuple[str, ...]
    step: Literal["making-children", "sealing"] = "making-children"

    @model_validator(mode="after")
    def _has_a_range_for_each_child(self) -> "ChangeNote":
        if not self.parents or not self.children or len(self.children) != len(self.ranges):
            raise ValueError("expected parents, and children with a range each")
        return self


class LayoutStore:
    """What one broker reads and writes about scalable topics. All calls raise CommandRefused: SERVICE_NOT_READY if the store is
    unavailable.
    """

    def __init__(self, store: MetadataStore) -> None:
        self._store = store

    def find(self, topic: str) -> StoredLayout | None:
        """The layout of a topic; None if there is none. Raises MalformedLayout."""
        record = self._store.get(paths.layout(topic))
        return None if record is None else StoredLayout(decoded(record), record.version)

    def named(self, topic: str) -> StoredLayout:
        """The layout of a topic. Raises CommandRefused: TOPIC_NOT_FOUND if there is none, and MalformedLayout."""
        if (found := self.find(topic)) is None:
            raise CommandRefused(ServerError.TOPIC_NOT_FOUND, f"there is no scalable topic {topic}")
        return found

    def write(self, topic: str, layout: Layout, expected: Version = NEW) -> None:
        """Write a layout over that version. Raises VersionConflict."""
        self._store.put(paths.layout(topic), encoded(layout), expected=expected)

    def topics(self, namespace: str) -> list[str]:
        """The scalable topics of TENANT/NAMESPACE, by their full names."""
        return self._named_in(paths.TOPICS, f"{namespace}/")

    def all_topics(self) -> list[str]:
        """The scalable topics of all namespaces."""
        return self._named_in(paths.TOPICS)

    def erase(self, topic: str) -> None:
        """Delete all records of a topic: first the note of a change, so that no controller completes it, then the layout.

        The controller's record goes last, so that no other broker becomes the controller while there is a layout.
        """
        self._store.delete(paths.change(topic))
        for key in self._store.keys(*under(f"{paths.layout(topic)}/")):
            if key != paths.controller(topic):
                self._store.delete(key)
        self._store.delete(paths.layout(topic))
        self._store.delete(paths.controller(topic))

    # -- Registered subscriptions

    def register(self, topic: str, subscription: str) -> None:
        """Register a subscription of the topic, once."""
        try:
            self._store.put(paths.subscription(topic, subscription), b"{}", expected=NEW)
        except VersionConflict:
            return

    def unregister(self, topic: str, subscription: str) -> None:
        """Delete a subscription, with the sessions of its consumers."""
        for key in self._store.keys(*under(f"{paths.subscription(topic, subscription)}/")):
            self._store.delete(key)
        self._store.delete(paths.subscription(topic, subscription))

    def registered(self, topic: str) -> list[str]:
        """The subscriptions of the topic."""
        prefix = paths.subscription(topic, "")
        names = (key.removeprefix(prefix) for key in self._store.keys(*under(prefix)))
        return [unquote(name) for name in names if "/" not in name]

    # -- Notes of changes

    def note(self, topic: str) -> tuple[ChangeNote, Version] | None:
        """The change that has begun, and the version of its note; None if none has. Raises MalformedLayout."""
        if (record := self._store.get(paths.change(topic))) is None:
            return None
        try:
            return ChangeNote.model_validate_json(record.value), record.version
        except ValidationError as error:
            expected = f"expected the note of a change, with {', '.join(ChangeNote.model_fields)}"
            raise MalformedLayout(record.key, f"{expected}; {error.errors()[0]['msg']}") from error

    def put_note(self, topic: str, note: ChangeNote, expected: Version = NEW) -> Version:
        """Write the note over that version; returns the new version. Raises VersionConflict."""
        return self._store.put(paths.change(topic), json.dumps(note.model_dump(mode="json")).encode(), expected=expected).version

    def delete_note(self, topic: str, expected: Version) -> None:
        """The change is over. Raises VersionConflict if another controller has taken it over."""
        self._store.delete(paths.change(topic), expected=expected)

    def notes(self) -> list[str]:
        """The topics with a change that has begun."""
        return self._named_in(paths.CHANGES)

    def _named_in(self, folder: str, namespace: str = "") -> list[str]:
        """The topics that the keys name. Other keys are ignored."""
        keys = self._store.keys(*under(folder + namespace))
        return [topic for key in keys if (topic := paths.topic(key.removeprefix(folder))) is not None]
