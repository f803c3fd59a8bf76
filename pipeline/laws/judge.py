"""Judge a small history in process, without Spark.

judge([{"run_id": "r", "idx": 0, "type": "invoke", "op_id": 0, "f": "poll", ...}, ...])
{"phantom-read": [Witness(run="r", log="x", values=("z",), offsets=(3,), ops=(0,), definite=True)]}
"""

from collections.abc import Iterable

from .history import History
from .laws import LAWS
from .pairing import paired
from .witness import Witness


def judge(events: Iterable[object], infer_ww: bool = False, infer_rw: bool = False) -> dict[str, list[Witness]]:
    """The witnesses of each anomaly that the history shows, in the order in which a report tells them."""
    read = paired(events)
    history = History(read.operations, infer_ww, infer_rw)
    found = {}
    for law in LAWS:
        shown = law.witnesses(history)
        if law.absence and read.refused:  # what is missing may stand in what could not be read
            shown = [one._replace(definite=False) for one in shown]
        if shown:
            found[law.anomaly] = shown
    return found
