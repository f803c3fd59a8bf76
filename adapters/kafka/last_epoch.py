"""A producer whose epoch is nearly exhausted, made by requests that any client may send.

Requests can raise an epoch only by one at a time, so it takes some 32,000 of them to reach the limit; or a few, if `written_epochs` has
done the rest. InitProducerId v5 with the current producer id and epoch raises the epoch by one, and its answer is known in advance. So the
requests are sent before their answers, on one connection, on which a broker answers in order. Each answer is compared with the expected
one.

When a connection ends, the requests in flight may or may not have been done. Then the client asks the coordinator for the current epoch,
and continues from there.

The last bump is left to the scenario, whose history begins with it: the name of the transactional id shows that it was prepared.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeAlias

from kio.schema.errors import ErrorCode
from kio.static.protocol import RequestPayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.common.suffixes import new_suffix
from fencepost.adapters.common.time import WallTime
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.kafka.entities import request
from fencepost.wire.kafka.frames import LENGTH, MalformedKafkaFrame, decode_response, encode_request

from .cluster import Cluster, CoordinatorKind, CoordinatorOf
from .kafka_error_outcomes import refused
from .kafka_recording import KafkaRecorder
from .kafka_values import EPOCH_BEFORE_LAST, RAISED_NAME, NearLastEpoch, ProducerIdentity
from .offer import KafkaOffer
from .probe import KafkaProbe
from .reach import NO_USERS, Users

_VERSION = 5
_TIMEOUT_MS = 60_000
_IN_FLIGHT = 64
_LONGEST_ANSWER = 4_096
_AWAY_S = 90.0
"""How long a broker may be away: scenarios crash it, and after its restart it reads a long transaction log."""

_FRUITLESS = 3
"""After so many refusals or lost connections in a row without a bump, the producer is given up."""

_CORRELATION_AT = 8
"""The position of a request's correlation id: after the length, the key and the version of the API."""

_EPOCH_FROM_END = 3
"""Both messages end with the epoch and one byte for no tagged fields."""

_INT16, _INT32 = struct.Struct(">h"), struct.Struct(">i")


Progress: TypeAlias = Callable[[int], None]
"""Called with the number of bumps, 0 while a broker is awaited; raises Stopped when no scenario needs the producer any more."""


class Stopped(Exception):
    """No scenario needs the producer any more."""


class _PatientTime(WallTime):
    """The time in which one producer is prepared, which outlives the crashes of other scenarios."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(_AWAY_S)
        self._progress = progress

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        for number in super().attempts(patience):
            self._progress(0)
            yield number


def new_id() -> str:
    """A new transactional id; its name shows what it is for."""
    return f"{RAISED_NAME}-{new_suffix()}"


def bring_near_last_epoch(
    bootstrap: Address, offer: KafkaOffer, progress: Progress, name: str | None = None, users: Users = NO_USERS
) -> Outcome[NearLastEpoch]:
    """A transactional id at the epoch before its last: the one of that name, whatever epoch it has now, or a new one."""
    name = name or new_id()
    time = _PatientTime(progress)
    cluster = Cluster("near-last-epoch", bootstrap, users.connect, KafkaRecorder(time.now_ms), offer, ANSWER_WITHIN_S)
    probe = KafkaProbe(cluster, offer, time)
    coordinator = CoordinatorOf(CoordinatorKind.TRANSACTION, name)
    try:
        known: Outcome[ProducerIdentity] = Unknown(f"{bootstrap} was not asked")
        for _ in time.attempts():
            known = probe.init_producer_id(name, version=_VERSION)
            if not isinstance(known, Unknown):
                break
        fruitless = 0
        while True:
            match known:
                case Done(ProducerIdentity(epoch=epoch) as producer) if epoch == EPOCH_BEFORE_LAST:
                    return Done(NearLastEpoch(name, producer))
                case Done(ProducerIdentity() as producer):
                    pass
                case Refused() | Unknown():
                    return known
            match cluster.locate(coordinator):
                case Done(address):
                    reached, trouble = _raise(users, address, name, producer, progress)
                case other:
                    return other
            cluster.forget(coordinator)
            fruitless = 0 if reached > producer.epoch else fruitless + 1
            if isinstance(trouble, Unknown) or fruitless >= _FRUITLESS:
                return trouble or Unknown(
                    f"{name} cannot be brought near its last epoch: {address} ended the connection at epoch {reached}, {fruitless} times"
                )
            known = _in_force(probe, name)
    finally:
        cluster.close()


def _in_force(probe: KafkaProbe, name: str) -> Outcome[ProducerIdentity]:
    return probe.settled(name).converted(lambda description: description.producer)


def _raise(
    users: Users, address: Address, name: str, producer: ProducerIdentity, progress: Progress
) -> tuple[int, Refused | Unknown | None]:
    """Raise the epoch on one connection as far as possible: returns the last epoch answered, and the answer that ended it, if one did."""
    reached = producer.epoch
    try:
        with (
            users.opened(address) as connection,
            connection.makefile("rb") as answers,
        ):
            requests, due = _Requests(name, producer), _Answers(name, producer)
            sent = reached
            while reached < EPOCH_BEFORE_LAST:
                ahead = min(reached + _IN_FLIGHT, EPOCH_BEFORE_LAST)
                if ahead - sent >= _IN_FLIGHT // 2 or ahead == EPOCH_BEFORE_LAST > sent:
                    connection.sendall(b"".join(requests.at(epoch) for epoch in range(sent, ahead)))
                    sent = ahead
                if (trouble := due.trouble_at(reached, _read_frame(answers))) is not None:
                    return reached, trouble
                reached += 1
                progress(1)
    except OSError:
        pass  # also a timeout: the coordinator is asked for the current epoch
    return reached, None


class _Requests:
    """The requests of one producer: they differ only in the epoch, which is also the correlation id."""

    def __init__(self, name: str, producer: ProducerIdentity) -> None:
        self._frame = bytearray(_encoded(name, producer))
        assert self.at(EPOCH_BEFORE_LAST) == _encoded(name, producer.with_epoch(EPOCH_BEFORE_LAST)), (
            "InitProducerId ends with the epoch no longer"
        )

    def at(self, epoch: int) -> bytes:
        """The request with that epoch."""
        _INT32.pack_into(self._frame, _CORRELATION_AT, epoch)
        _INT16.pack_into(self._frame, len(self._frame) - _EPOCH_FROM_END, epoch)
        return bytes(self._frame)


class _Answers:
    """The expected answers. The first that was decoded is the pattern for the next, so that only a frame that differs is decoded."""

    def __init__(self, name: str, producer: ProducerIdentity) -> None:
        self._name = name
        self._producer = producer
        self._pattern = bytearray()

    def trouble_at(self, epoch: int, frame: bytes) -> Refused | Unknown | None:
        """Judge the answer to the request with that epoch: None if it has the next epoch."""
        if self._pattern:
            _INT32.pack_into(self._pattern, 0, epoch)
            _INT16.pack_into(self._pattern, len(self._pattern) - _EPOCH_FROM_END, epoch + 1)
            if frame == self._pattern:
                return None
        due = self._producer.with_epoch(epoch + 1)
        try:
            answer: Any = decode_response(_request(self._name, self._producer.with_epoch(epoch)), epoch, frame)
        except MalformedKafkaFrame as error:
            raise Malformed(str(error)) from error
        if answer.error_code is not ErrorCode.none:
            return refused(answer.error_code)
        given = ProducerIdentity(int(answer.producer_id), int(answer.producer_epoch))
        if given != due:
            return Unknown(f"{self._name} cannot be brought near its last epoch: InitProducerId answered {given} where {due} was due")
        self._pattern = bytearray(frame)
        return None


def _request(name: str, producer: ProducerIdentity) -> RequestPayload:
    fields = {"producer_id": producer.producer_id, "producer_epoch": producer.epoch}
    return request("init_producer_id", _VERSION, transactional_id=name, transaction_timeout=_TIMEOUT_MS, **fields)


def _encoded(name: str, producer: ProducerIdentity) -> bytes:
    return encode_request(_request(name, producer), producer.epoch, "fencepost-near-last-epoch")


def _read_frame(answers: BinaryIO) -> bytes:
    prefix = _read_exactly(answers, LENGTH.size)
    length: int = LENGTH.unpack(prefix)[0]
    if not 0 <= length <= _LONGEST_ANSWER:
        raise Malformed(f"InitProducerId v{_VERSION}: a frame announces {length} bytes, expected at most {_LONGEST_ANSWER}")
    return _read_exactly(answers, length)


def _read_exactly(answers: BinaryIO, size: int) -> bytes:
    data = answers.read(size)
    if len(data) < size:
        raise ConnectionError(f"end of the connection after {len(data)} of {size} bytes")
    return data
