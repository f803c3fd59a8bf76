"""Which of several processes asks which scenarios, so that their brokers' starts and restarts do not wait for each other.

A scenario that kills its broker waits for it for most of its time, while the machine has little to do: that time is another process's.
Scenarios on one broker stay together, but for those on the default configuration, of which each process has a broker in any case, and
those on a fresh one, of which each starts its own. Dealing is a function of the scenarios alone, so that all processes deal alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .line_up import Kind


@dataclass
class _Part:
    """Scenarios that stay together, by their places, and the seconds that they take."""

    seconds: float = 0.0
    places: list[int] = field(default_factory=list)


def deal(
    asked: Sequence[tuple[str, float]], default: str, kinds: Mapping[str, Kind], starts_s: Mapping[str, float], workers: int
) -> list[int]:
    """The number of the worker, from 0 on, for each scenario, of which its configuration and its seconds are told."""
    parts: dict[object, _Part] = {}
    for place, (configuration, seconds) in enumerate(asked):
        stays = configuration != default and not kinds[configuration].fresh
        key: object = configuration if stays else place
        if key not in parts:
            parts[key] = _Part(0.0 if configuration == default else starts_s[configuration])
        parts[key].seconds += seconds
        parts[key].places.append(place)
    busy, dealt = [0.0] * workers, [0] * len(asked)
    for part in sorted(parts.values(), key=lambda part: -part.seconds):
        worker = busy.index(min(busy))
        busy[worker] += part.seconds
        for place in part.places:
            dealt[place] = worker
    return dealt
