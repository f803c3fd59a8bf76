"""Round times on an axis: as many as can be distinguished, and no more."""

import contextlib
from collections.abc import Callable, Iterator
from datetime import MAXYEAR, UTC, datetime, timedelta
from typing import NamedTuple

MOST = 8
_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
_MONTHS_OF_YEAR = 12


class Scale(NamedTuple):
    """The round times between two, and how a time is written on that axis."""

    times: tuple[datetime, ...]
    form: str


def between(first: datetime, last: datetime) -> Scale:
    """The finest round times of which there are at most `MOST`: minutes, hours, days, weeks (on Mondays), months, years."""
    for form, times_from in _finest_first():
        times: list[datetime] = []
        for time in times_from(first):
            if time > last or len(times) > MOST:
                break
            times.append(time)
        if len(times) <= MOST:
            return Scale(tuple(times), form)
    return Scale((), "%Y")


def _finest_first() -> Iterator[tuple[str, Callable[[datetime], Iterator[datetime]]]]:
    for minutes in (1, 5, 15, 30, 60, 180, 360, 720):
        yield "%m-%d %H:%M", _every(timedelta(minutes=minutes))
    for days in (1, 2, 7, 14):
        yield "%Y-%m-%d", _every(timedelta(days=days))
    for months in (1, 3, 6):
        yield "%Y-%m", _every_months(months)
    for years in (1, 2, 5, 10, 100, 1000):
        yield "%Y", _every_months(years * _MONTHS_OF_YEAR)


def _every(step: timedelta) -> Callable[[datetime], Iterator[datetime]]:
    def times(first: datetime) -> Iterator[datetime]:
        number = -((_MONDAY - first) // step)
        with contextlib.suppress(OverflowError):  # after the last day that can be written
            while True:
                yield _MONDAY + number * step
                number += 1

    return times


def _every_months(step: int) -> Callable[[datetime], Iterator[datetime]]:
    def times(first: datetime) -> Iterator[datetime]:
        month = (first.year * _MONTHS_OF_YEAR + first.month - 1) // step * step
        while month // _MONTHS_OF_YEAR <= MAXYEAR:
            if month >= _MONTHS_OF_YEAR:
                time = datetime(month // _MONTHS_OF_YEAR, month % _MONTHS_OF_YEAR + 1, 1, tzinfo=UTC)
                if time >= first:
                    yield time
            month += step

    return times
