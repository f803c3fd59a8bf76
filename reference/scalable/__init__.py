"""PIP-460 and PIP-468: topics of several segments, which are split and merged while they are used.

`layout` has a topic's segments as values, `names` how they are called. `topics` keeps layouts in the metadata store, `changes` splits and
merges so that a crash anywhere leaves what the next controller completes or undoes, `pruning` removes what is sealed and not needed, and
`sessions` assigns segments to consumers of whole topics.
"""

# The broker's modules import those from here, which import its errors: whoever comes first, the broker is loaded first.
from fencepost.reference import pulsar as pulsar
