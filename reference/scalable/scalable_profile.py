"""Where PIP-460 and PIP-468 leave a choice or contradict themselves, and how a release decided, in `fixtures/releases/scalable/*.yaml`.

`seed` follows the text, and where two texts differ, the one that loses nothing and refuses least. Other values are choices, or bugs in
`scalable_release_bugs`.
"""

from typing import ClassVar, Literal

from fencepost.reference.kernel.profiles import ReleaseProfile

from .layout import Neighbours, Remainder


class ScalableProfile(ReleaseProfile):
    """The values at which scalable topics branch."""

    folder: ClassVar[str] = "scalable"

    remainder: Remainder
    """Which segments of a new topic get the remaining hashes if they cannot be shared equally."""

    merge: Neighbours
    """Which segments may be merged."""

    merged_at_once: int | None
    """How many segments one merge accepts at most; None for any number."""

    segment_hash: Literal["high", "low"]
    """Which half of a key's murmur3 chooses its segment. Clients route; brokers own ranges only."""

    inherited_subscriptions: Literal["all", "registered"]
    """Which subscriptions of the parents the children get: all, or only those of the scalable topic."""

    old_clients: Literal["refused", "extra-topic"]
    """What a producer or consumer gets that names topic:// as a classic topic."""

    impossible_names: Literal["refused", "hung-up"]
    """What a client gets that looks up the layout under an invalid name: an answer, or a closed connection."""

    sealed_writes: Literal["answered", "ignored"]
    """Whether a SEND of a producer that the seal has closed is answered."""

    sealed_segments: Literal["kept-while-needed", "kept-while-registered"]
    """Which sealed segments are kept after their retention: also those that an open transaction or any subscription needs, or only those
    that a registered subscription has not drained."""

    pushed_epochs: Literal["once", "repeated"]
    """Whether a watch is sent the first layout twice."""

    refused_change: Literal["client-error", "server-error"]
    """How an administrator's impossible change is answered: 4xx or 500."""

    children_wait_for: Literal["ancestors", "parents"]
    """What a subscription must have drained before a stream consumer gets a child: all its ancestors, or only its parents, of which an
    empty one is drained at once."""

    subscriptions_reported: Literal["all", "without-slash"]
    """Which subscriptions' consumers are notified of changes: all, or only those whose name has no slash."""

    repeated_messages: Literal["recognised", "stored-again"]
    """Whether a child knows what its parents have stored of their producers."""

    sealed_retention_ms: int
    """How long a sealed segment is kept at least."""

    grace_period_ms: int
    """How long a lost consumer keeps its segments."""
