"""The scenarios that each of several processes judges, so that their brokers' starts and restarts do not wait for each other.

A scenario that kills its broker waits for it most of the time, while the machine has little to do: another process uses that time.
Scenarios on one broker stay together, except those on the default configuration, for which each process has a broker anyway, and those on a
fresh one, each of which starts a separate broker. Dealing is a function of the scenarios alone, so that all processes deal alike.
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
    """The number of the worker, from 0, for each scenario, which is given by its configuration and its seconds."""
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
