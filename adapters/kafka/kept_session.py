"""What a session began with, and what it learnt without a request: with its exchanges, all that a play of the scenario depends on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import WrongUsage

from .kafka_values import NearLastEpoch, ProducerIdentity
from .offer import KafkaOffer, VersionRange


@dataclass(frozen=True)
class Head:
    """`looks` has the result of each look whether a node listened, and `taken` the producers near their last epoch that the session got."""

    suffix: str
    bootstrap: Address
    offer: KafkaOffer
    is_virtual: bool
    patience_s: float
    has_wire: bool
    looks: tuple[bool, ...] = ()
    taken: tuple[NearLastEpoch, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "suffix": self.suffix,
            "bootstrap": str(self.bootstrap),
            "offer": {
                "features_reported": self.offer.features_reported,
                "finalized": dict(self.offer.finalized),
                "finalized_epoch": self.offer.finalized_epoch,
                "apis": {name: [one.lowest, one.highest] for name, one in self.offer.apis.items()},
                "supported": {name: [one.lowest, one.highest] for name, one in self.offer.supported.items()},
            },
            "virtual": self.is_virtual,
            "patience_s": self.patience_s,
            "wire": self.has_wire,
            "looks": list(self.looks),
            "taken": [[one.transactional_id, one.producer.producer_id, one.producer.epoch] for one in self.taken],
        }

    @classmethod
    def of(cls, line: Mapping[str, Any], place: str) -> "Head":
        """Read it from the first line. Raises WrongUsage if that is no such line; `place` is where the lines come from."""
        try:
            return cls._read(line)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise WrongUsage(f"{place}, line 1: not what a session began with ({error}); was it changed?") from error

    @classmethod
    def _read(cls, line: Mapping[str, Any]) -> "Head":
        offer = line["offer"]
        return cls(
            suffix=str(line["suffix"]),
            bootstrap=Address.of(line["bootstrap"]),
            offer=KafkaOffer(
                {name: VersionRange(*pair) for name, pair in offer["apis"].items()},
                bool(offer["features_reported"]),
                {name: VersionRange(*pair) for name, pair in offer["supported"].items()},
                {name: int(level) for name, level in offer["finalized"].items()},
                int(offer["finalized_epoch"]),
            ),
            is_virtual=bool(line["virtual"]),
            patience_s=float(line["patience_s"]),
            has_wire=bool(line["wire"]),
            looks=tuple(map(bool, line["looks"])),
            taken=tuple(NearLastEpoch(name, ProducerIdentity(number, epoch)) for name, number, epoch in line["taken"]),
        )
