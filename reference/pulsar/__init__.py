"""PIP-31 in code: brokers that accept the protocol's frames and admin calls and answer with them.

Where to read what:

* `log_coordinator`, `transaction`, `transaction_log`, `participants`: a transaction from its beginning to its end everywhere.
* `marker_buffer`, `sidecar_buffer`, `ledger`: what readers may see of it, and when.
* `pending_acks`, `pending_ack_journal`, `cursor`, `subscription`: acknowledgements that wait for its end, and which consumer gets which
  message.
* `topic`, `pulsar_topics`, `deduplication`, `compaction`: what survives an unload, what is stored once, and what readers may leave out.
* `coordinator`, `buffer`, `pending_ack_store`, `kinds`: what another kind of transactions has to offer, and how it is chosen. `classic` is
  PIP-31's.
* `api`, `admin`: Pulsar's commands and REST calls. `pulsar_profile`: where releases differ, `pulsar_release_bugs`: their bugs.
* `pulsar_broker`, `node`, `ownership`, `connection`: how it is put together, on one node or on several.

A method whose docstring begins with "Decision:" is one that implementations get wrong: `reference/defects` overrides it.
"""

from .pulsar_broker import ReferencePulsar
from .pulsar_crash_points import CRASH_POINTS
from .pulsar_parts import PulsarParts
from .pulsar_profile import PulsarProfile

__all__ = ["CRASH_POINTS", "PulsarParts", "PulsarProfile", "ReferencePulsar"]
