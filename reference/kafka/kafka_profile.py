"""Release profiles: where the proposal's text and the shipped releases differ, as data in `fixtures/releases/*.yaml`.

`seed` is the text. The others make the reference answer as that release of Apache Kafka does. There is one engine; a profile only
holds the values at which it branches, which of the bugs in `kafka_release_bugs` it has, and what it offers in ApiVersions.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, field_validator

from fencepost.reference.kernel.profiles import ProfilePart, ReleaseProfile
from fencepost.wire.kafka.entities import API_KEYS

from .kafka_errors import Errors


def _by_name(name: object) -> object:
    """The error of that name; for an unknown one the text itself, which is then refused as no error."""
    return Errors.__members__.get(str(name), name)


_Range: TypeAlias = Annotated[tuple[int, int], Field(strict=False)]
"""The lowest and the highest, both included."""

_Error: TypeAlias = Annotated[Errors, BeforeValidator(_by_name)]


class FeatureRange(ProfilePart):
    """A feature as ApiVersions advertises it."""

    supported: _Range
    finalized: int


class Profile(ReleaseProfile):
    """What differs between releases."""

    apis: dict[str, _Range]
    """The versions of each API that are served, by the API's name in snake case."""

    features: dict[str, FeatureRange]

    own_topics: Literal["shown", "hidden"] = "shown"
    """Whether clients see the topics in which the broker keeps offsets and transactions."""

    server_fence_bumps: Literal[1, 2]
    """By how much the epoch grows when the server ends a transaction: at a timeout, and for a new owner of the transactional id."""

    verification_refusal: _Error
    """What AddPartitionsToTxn with verifyOnly answers for a partition that is not in the transaction."""

    non_zero_first_sequence: Literal["refused", "accepted"]
    """What a new client gets for a first batch that does not begin at sequence 0, in a partition that knows nothing of it."""

    new_protocol_at_level_0: Literal["served", "refused", "refused, fatal at start"]
    """What becomes of the new protocol at transaction.version 0, when a client uses it all the same or its transaction is older.

    Refused: a request is answered UNSUPPORTED_VERSION, what is prepared is never completed, and the transactional id is stuck. Fatal at
    start: a broker that finds such a prepared transaction at its start ends.
    """

    stale_init_over_open: Literal["refused", "aborts"]
    """What InitProducerId with an epoch that is not the current one does to the owner's open transaction."""

    refused_first_batch: Literal["left out", "stays added"]
    """Whether a transaction includes a partition that refused a new client's first batch, or had it already."""

    empty_addition: Literal["changes nothing", "opens"]
    """What AddPartitionsToTxn without a partition does to an idle transactional id."""

    last_epoch_after_restart: Literal["kept", "forgotten"]
    """Whether the coordinator still knows after a restart from which epoch InitProducerId bumped last."""

    producer_ids_after_restart: Literal["kept", "forgotten"]
    """Whether the coordinator still knows after a restart which producer id came before this one, and which comes next."""

    init_retry_at_last_epoch: Literal["answered", "fails"]
    """What InitProducerId gets from a client that repeats the bump to the last usable epoch."""

    server_fence_at_last_epoch: Literal["rotates", "keeps", "fails"]
    """What becomes of a producer at the last usable epoch when the server ends its transaction.

    `rotates`: the transactional id moves to a new producer id, as when its client ends it. `keeps`: it stays with the old one, at an
    epoch that no producer may have. `fails`: the transaction is not ended.
    """

    offset_commit_while_completing: _Error
    """What TxnOffsetCommit answers while the last transaction is being completed."""

    @field_validator("apis")
    @classmethod
    def _apis_exist(cls, apis: dict[str, Any]) -> dict[str, Any]:
        if strange := apis.keys() - API_KEYS.keys():
            raise ValueError(f"no API is called {', '.join(sorted(strange))}")
        return apis

    def offers(self, api: str, version: int) -> bool:
        """Whether that version of that API is served."""
        lowest, highest = self.apis.get(api, (0, -1))
        return lowest <= version <= highest
