"""PIP-460 and PIP-468: topics of several segments, which are split and merged while they are used.

`layout` has a topic's segments as values, `names` their names. `node_scalable_topics` keeps layouts in the metadata store, `changes`
splits and merges so that the next controller completes or undoes what a crash interrupts, `segment_pruning` deletes sealed segments that
are not needed, and `sessions` assigns segments to consumers of whole topics.
"""

# The broker's modules import those from here, which import its errors: whichever is imported first, the broker is loaded first.
from fencepost.reference import pulsar as pulsar
