"""`make bench-check`: how fast `judge` judges a small history in process, without Spark.

    python -m benchmarks.judge_speed [--operations 50 500 5000] [--seconds 2]

Prints the median of the processor time for each size, of a sound history and of one in which an aborted record was read. Three
transactional producers take turns: each sends twice and commits, and every fifth transaction aborts. Two consumers poll what has become
stable, and commit their offsets.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from fencepost.pipeline.laws.judge import judge

AIM_MS, OF = 3.0, 50
_PRODUCERS, _CONSUMERS = 3, 2
_ABORTED = 5
_FEWEST = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, nargs="+", default=[OF, 500, 5_000])
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each history is judged, again and again")
    given = parser.parse_args()
    for operations in given.operations:
        for faulty in (False, True):
            events = history(operations, faulty)
            found = {anomaly for anomaly, shown in judge(events).items() if any(one.definite for one in shown)}
            assert found == ({"G1a"} if faulty else set()), f"the history has {sorted(found)}"
            records = sum(len(event["mops"]) for event in events if event["type"] != "invoke")
            kind = "with an aborted read" if faulty else "sound"
            print(f"judge of {operations:>6} operations, {records:>6} records, {kind:>20}: {median_ms(events, given.seconds):8.2f} ms")
    print(f"for {OF} operations {AIM_MS:.0f} ms is the most")


def median_ms(events: list[dict[str, Any]], seconds: float) -> float:
    """The median of the processor time of one judgement."""
    spent = []
    ends = time.monotonic() + seconds
    while len(spent) < _FEWEST or time.monotonic() < ends:
        began = time.process_time_ns()
        judge(events)
        spent.append((time.process_time_ns() - began) / 1e6)
    return statistics.median(spent)


def history(operations: int, faulty: bool) -> list[dict[str, Any]]:
    """The events of so many operations; in a faulty one the first aborted record is read."""
    events: list[dict[str, Any]] = []
    for number, operation in zip(range(operations), _operations(faulty), strict=False):
        for place, kind in enumerate(("invoke", "ok")):
            event = {
                "run_id": "generated",
                "op_id": 2 * number,
                "idx": 2 * number + place,
                "t_ns": 1_000 * (2 * number + place),
                "type": kind,
            }
            events.append(event | operation)
    return events


def _operations(faulty: bool) -> Iterator[dict[str, Any]]:
    """Transactions one after the other, each read by both consumers."""
    for consumer in range(_CONSUMERS):
        yield _of(_PRODUCERS + consumer, "assign", [{"m": "assign", "log": "x"}])
    end = 0
    for number in count():
        producer, aborts = number % _PRODUCERS, number % _ABORTED == _ABORTED - 1
        own = {"txn_id": f"T{number}", "tx": {"tid": f"t{producer}", "pid": producer, "epoch": number // _PRODUCERS}}
        sent = [{"log": "x", "v": f"v{end + step}", "o": end + step} for step in (0, 1)]
        for record in sent:
            yield _of(producer, "send", [{"m": "send", **record}]) | own
        yield _of(producer, "abort" if aborts else "commit", []) | own
        read = [{"m": "recv", **record} for record in sent]
        if aborts:
            read = read[:1] if faulty and number == _ABORTED - 1 else []
        for consumer in range(_CONSUMERS):
            yield _of(_PRODUCERS + consumer, "poll", read)
            if read and not aborts:
                yield _of(_PRODUCERS + consumer, "ack", [{"m": "offset", "log": "x", "o": end + 2}]) | {"grp": {"id": f"g{consumer}"}}
        end += 3


def _of(process: int, f: str, mops: list[dict[str, Any]]) -> dict[str, Any]:
    return {"process": process, "client": f"p{process}", "f": f, "iso": "rc", "mops": mops}


if __name__ == "__main__":
    main()
