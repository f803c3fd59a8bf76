"""PIP-471: transactions whose truth is a metadata store. No log of a coordinator, no markers, no answers of participants.

`paths` and `record_models` define what is in the store, `transaction_records` reads and writes it. `metadata_coordinator` decides,
`collection` deletes what is over. `buffer` and `pending_ack_records` are the participants, which learn from the store how a transaction
ended (`participation`). `kind` makes them a kind of transactions next to PIP-31's, for topics `segment://`.
"""

from .kind import MetadataKind as MetadataKind
from .metadata_parts import MetadataParts as MetadataParts
from .metadata_profile import MetadataProfile as MetadataProfile
