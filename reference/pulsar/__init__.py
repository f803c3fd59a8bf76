"""PIP-31 in code: a broker of one node, which takes the protocol's frames and admin calls and answers with them.

Where to read what:

* `coordinator`, `transaction`, `transaction_log`, `participants`: a transaction from its beginning to its end everywhere.
* `buffer`, `marker_buffer`, `sidecar_buffer`, `ledger`: what readers may see of it, and when.
* `pending_acks`, `cursor`, `subscription`: acknowledgements that wait for its end, and who gets which message.
* `topic`, `topics`, `deduplication`: what survives an unload, and what is stored once.
* `api`, `admin`: Pulsar's commands and REST calls. `profile`: where releases differ. `node`, `broker`: how it is put together.
"""

from .broker import ReferencePulsar
from .crash_points import CRASH_POINTS
from .parts import Parts
from .profile import PulsarProfile

__all__ = ["CRASH_POINTS", "Parts", "PulsarProfile", "ReferencePulsar"]
