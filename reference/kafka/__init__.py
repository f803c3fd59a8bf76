"""KIP-890 in code: a broker of one node, as a function from requests to answers.

Where to read what:

* `transaction`, `ending`, `known_transactions`, `coordinator`: the owner of a transactional id, what a transaction covers, how it ends.
* `markers`, `partition_log`, `producer_state`: the decision in the partitions, which producers may append, how far committed data may be
  read.
* `verification`, `guards`: how a leader and the coordinator agree before the first batch of a transaction is appended.
* `groups`: offsets as part of a transaction. `membership`: the members of a group.
* `transaction_log`, `topics`: what survives a crash; `seeded_disk`: a disk that was used before.
* `authorizer`: access control.
* `api`: Kafka's messages. `profile`: where releases differ. `node`, `broker`: how it is put together.
"""

from fencepost.reference.kernel.profiles import ProfileError

from .authorizer import ANONYMOUS
from .broker import ReferenceKafka
from .crash_points import CRASH_POINTS
from .node import Address, Parts
from .profile import Profile
from .seeded_disk import disk_after_bumps
from .settings import Settings

__all__ = [
    "ANONYMOUS",
    "CRASH_POINTS",
    "Address",
    "Parts",
    "Profile",
    "ProfileError",
    "ReferenceKafka",
    "Settings",
    "disk_after_bumps",
]
