"""PIP-471: transactions whose truth is a metadata store. No log of a coordinator, no markers, no answers of participants.

`paths` and `records` say what is in the store, `transaction_records` reads and writes it. `coordinator` decides, `collection` removes
what is over. `buffer` and `pending_ack_records` are the participants, which learn from the store how a transaction ended
(`participation`). `kind` makes a kind of transactions of them, beside PIP-31's, for topics `segment://`.
"""

from .kind import MetadataKind as MetadataKind
from .parts import MetadataParts as MetadataParts
from .profile import MetadataProfile as MetadataProfile
