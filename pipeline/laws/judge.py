"""Judge a small history in process, without Spark.

judge([{"run_id": "r", "idx": 0, "type": "invoke", "op_id": 0, "f": "poll", ...}, ...])
{"phantom-read": [Witness(run="r", log="x", values=("z",), offsets=(3,), ops=(0,), definite=True)]}
"""

from collections.abc import Container, Iterable

from .history import History, Inferred
from .laws import LAWS
from .pairing import paired
from .witness import HistoryWitness, Law


def judge(events: Iterable[object], infer_ww: bool = False, infer_rw: bool = False) -> dict[str, list[HistoryWitness]]:
    """The witnesses of each anomaly that the history shows, in the order of reports."""
    read = paired(events)
    history = History.of(*read.reported(), Inferred(infer_ww, infer_rw))
    return judged(history, LAWS, history.ops.runs if read.refused else ())


def judged(history: History, laws: Iterable[Law], damaged: Container[str]) -> dict[str, list[HistoryWitness]]:
    """The witnesses of each of these laws that is broken.

    In damaged runs something could not be read, and what is missing may stand there.
    """
    found = {}
    for law in laws:
        shown = law.witnesses(history)
        if law.absence:
            shown = [one._replace(definite=one.definite and one.run not in damaged) for one in shown]
        if shown:
            found[law.anomaly] = shown
    return found
