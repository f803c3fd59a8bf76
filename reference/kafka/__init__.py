"""KIP-890 in code: a broker of one node, as a function from requests to answers.

Where to read what:

* `transaction`, `end_txn_rules`, `known_transactions`, `kafka_coordinator`: the owner of a transactional id, what a transaction covers,
  how it ends.
* `markers`, `partition_log`, `producer_state`: the decision in the partitions, which producers may append, how far committed data may be
  read.
* `verification`, `guards`: how a leader and the coordinator agree before the first batch of a transaction is appended.
* `groups`: offsets as part of a transaction. `membership`: the members of a group.
* `transaction_log`, `kafka_topics`: what survives a crash; `seeded_disk`: a disk that was used before.
* `authorizer`: access control.
* `api`: Kafka's messages. `kafka_profile`: where releases differ, `kafka_release_bugs`: their bugs. `node`, `kafka_broker`: how it is put
  together.
"""

from fencepost.reference.kernel.profiles import ProfileError

from .authorizer import ANONYMOUS
from .broker_settings import Settings
from .kafka_broker import ReferenceKafka
from .kafka_crash_points import CRASH_POINTS
from .kafka_profile import Profile
from .node import AdvertisedListener, KafkaParts
from .seeded_disk import disk_after_bumps

__all__ = [
    "ANONYMOUS",
    "CRASH_POINTS",
    "AdvertisedListener",
    "KafkaParts",
    "Profile",
    "ProfileError",
    "ReferenceKafka",
    "Settings",
    "disk_after_bumps",
]
