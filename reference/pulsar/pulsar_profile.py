"""What differs between the proposal's text and the shipped releases, as data in `fixtures/releases/pulsar/*.yaml`.

`seed` is the text of PIP-31. There is one engine; a profile only holds the values at which it branches, and which of the
bugs in `pulsar_release_bugs` it has.
"""

from typing import ClassVar, Literal

from fencepost.reference.kernel.profiles import ReleaseProfile


class PulsarProfile(ReleaseProfile):
    """The values at which the reference branches."""

    folder: ClassVar[str] = "pulsar"

    buffer: Literal["marker", "sidecar"]
    """Where messages of an open transaction are: in the topic itself, or in a separate log until they are committed."""

    end_reply: Literal["after-decision", "after-completion"]
    """When END_TXN is answered: as soon as the decision is durable, or when every participant has done its part."""

    ended_transactions: Literal["remembered", "forgotten"]
    """Whether the coordinator still knows a transaction that is complete, or answers TRANSACTION_NOT_FOUND."""

    refused_late_send: Literal["harms-nobody", "poisons-the-topic"]
    """What a refused late send does to other producers: a poisoned topic accepts no messages in transactions until it is reloaded."""

    stray_messages: Literal["ended", "left-open"]
    """Whether a topic ends by itself what it holds of a transaction that is over elsewhere, and that it was not added to."""

    stray_acknowledgements: Literal["ended", "left-pending"]
    """Whether a subscription redelivers by itself what is acknowledged in a transaction that will not end there."""

    sequence_ids: Literal["of-the-transaction", "of-the-producer"]
    """Which sequence ids deduplication compares for messages in a transaction: those of the transaction, or all of its producer."""

    unparsable_names: Literal["refused", "never-ended"]
    """What becomes of a topic whose name cannot be parsed: it is not added, or it keeps its transaction from ending anywhere."""

    plain_ack_of_pending: Literal["dropped", "deletes"]
    """What an acknowledgement without a transaction does to a message that is acknowledged in an open one."""

    pending_cumulative_redelivery: Literal["withheld", "redelivered"]
    """Whether messages under a cumulative acknowledgement of an open transaction are redelivered on request."""

    individual_under_cumulative: Literal["conflict", "accepted"]
    """What a transaction gets for a message that the cumulative acknowledgement of another open one covers."""

    cumulative_over_individual: Literal["conflict", "accepted"]
    """What a transaction gets for a cumulative acknowledgement over a message that another open transaction has acknowledged."""

    individual_end_beside_cumulative: Literal["applied", "ignored"]
    """What the end of a transaction does to its single messages while another one's cumulative acknowledgement is pending."""

    transaction_keys: Literal["none", "aborts", "keeps"]
    """What a connection with the current epoch of its transaction key does to the open transaction; none if there are no keys."""
