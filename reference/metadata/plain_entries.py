"""The index entries of `PlainStore`: separate records, in the order of the index keys, each naming the record that it leads to."""

import json
from collections.abc import Mapping
from contextlib import suppress

from .envelope import Envelope
from .store import MetadataStore, StoreRecord, Version, VersionConflict

BOOKKEEPING = "__plain/"
"""The prefix of the keys that `PlainStore` keeps for itself."""
_END = "\0\1"
"""Follows an index and an index key, so that a shorter one comes first; a NUL within them is greater than this."""


class IndexEntries:
    """The entries of all indexes in that store."""

    def __init__(self, inner: MetadataStore) -> None:
        self._inner = inner

    def write(self, key: str, envelope: Envelope) -> None:
        """Write the entries of a record that is about to be written.

        Existing ones are rewritten too: a client that deletes one because of an older record sees that its version has changed.
        """
        for index, index_key in envelope.indexes.items():
            says = json.dumps([index_key, key, envelope.partition_key]).encode()
            self._inner.put(_entry(index, index_key, key), says)

    def of(self, record: StoreRecord | None) -> Mapping[str, Version]:
        """The entries that the record has, by their keys, with their versions before the record is replaced."""
        if record is None:
            return {}
        indexes = Envelope.opened(record.value).indexes
        found = [self._inner.get(_entry(index, index_key, record.key)) for index, index_key in indexes.items()]
        return {entry.key: entry.version for entry in found if entry}

    def delete(self, old: Mapping[str, Version]) -> None:
        """Delete the entries of a record that was replaced or deleted, except those that were rewritten since."""
        for entry, version in old.items():
            with suppress(VersionConflict):
                self._inner.delete(entry, expected=version)

    def records(self, index: str, first: str, end: str) -> list[StoreRecord]:
        """The records, in their envelopes, that the entries of that range lead to, and that have these entries."""
        found: list[StoreRecord] = []
        for entry in self._inner.scan(_start(index, first), _start(index, end)):
            index_key, key, partition_key = json.loads(entry.value)
            record = self._inner.get(key, partition_key=partition_key)
            if record and Envelope.opened(record.value).indexes.get(index) == index_key:
                found.append(record)
        return found


def _start(index: str, index_key: str) -> str:
    """The prefix of the entries of an index key, and the lower bound of those of all greater ones."""
    return f"{BOOKKEEPING}index/{_spelt(index)}{_END}{_spelt(index_key)}"


def _entry(index: str, index_key: str, key: str) -> str:
    return f"{_start(index, index_key)}{_END}{key}"


def _spelt(text: str) -> str:
    return text.replace("\0", "\0\2")
