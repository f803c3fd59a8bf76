"""The bundled reference in place of a broker, with the requests that the broker has: playing the scenarios on it shows in a few seconds
which of them the broker cannot play, and which requests it lacks, without a request to the broker.
"""

from dataclasses import dataclass, field

from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered
from fencepost.contract.ports import Handshake

from .offer import KafkaOffer, VersionRange

_MAKES_TOPICS = "create_topics"
"""A broker without this request may create a topic on Metadata. The reference does not, so clients always send it this request."""


@dataclass(frozen=True)
class _Noting(KafkaOffer):
    """The broker's offer; a request that it lacks is noted, and allowed if the `whole` offer of the reference has it."""

    whole: KafkaOffer = field(default_factory=lambda: KafkaOffer({}))
    missed: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    """The API that was last found missing."""
    lent: set[tuple[str, int]] = field(default_factory=set)
    """Versions that were chosen from the reference's offer, and need no second note."""

    def has(self, api: str, version: int) -> bool:
        found = super().has(api, version)
        if not found:
            self.refused[:] = [api]
        return found

    def check(self, api: str, version: int) -> None:
        try:
            super().check(api, version)
        except NotOffered as error:
            if (api, version) not in self.lent:
                self._note(error)
                self.whole.check(api, version)

    def highest(self, api: str, lowest: int, highest: int) -> int:
        try:
            return super().highest(api, lowest, highest)
        except NotOffered as error:
            self._note(error)
            version = self.whole.highest(api, lowest, highest)
            self.lent.add((api, version))
            return version

    def _note(self, error: NotOffered) -> None:
        needs, _, why = str(error).partition(": ")
        self.missed.setdefault(needs, why)


class KafkaStandIn(ReferenceSystem):
    """The reference, with the requests of a broker that has this offer.

    `missed` has the requests that scenarios have needed since `begin` and the broker lacks, with what it has instead.
    """

    def __init__(self, offer: KafkaOffer) -> None:
        super().__init__()
        self._of_broker = offer
        self._whole = KafkaOffer({})
        self._apis: dict[str, VersionRange] = {}
        self._refused: list[str] = []
        self.missed: dict[str, str] = {}

    def open(self) -> Handshake:
        handshake = super().open()
        assert self._offer is not None
        of, self._whole = self._of_broker, self._offer
        levels = (of.features_reported, of.supported, of.finalized, of.finalized_epoch)
        self._offer = _Noting(self._apis, *levels, self._whole, self.missed, self._refused)
        self.begin()
        return handshake

    @property
    def lacks_nothing(self) -> bool:
        """Whether the broker has every request of the reference, so that nothing needs to be played."""
        every = ((api, version) for api, its in self._whole.apis.items() for version in range(its.lowest, its.highest + 1))
        return all(self._of_broker.has(*one) for one in every)

    def begin(self) -> None:
        """Restore the broker's offer, and clear `missed`."""
        self._apis.clear()
        self._apis.update({_MAKES_TOPICS: self._whole.apis[_MAKES_TOPICS]} | dict(self._of_broker.apis))
        self._refused.clear()
        self.missed.clear()

    def lift(self) -> bool:
        """Offer all versions of the API that was last found missing; returns whether that changes anything."""
        api = next((api for api in self._refused if api in self._whole.apis), None)
        if api is None or self._apis.get(api) == self._whole.apis[api]:
            return False
        self._apis[api] = self._whole.apis[api]
        return True
