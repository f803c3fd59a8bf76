"""Acknowledgements whose records a broker deletes before their transaction has ended: they have no effect.

For an acknowledgement of several messages a broker writes several records. If the store refuses the second, the broker answers its client
with an error and takes the first back. For a moment the store had it, but no end finds it there, so that acknowledgement has failed:

    append /txn/op/0_3-1    ack of i2    fail: the broker has deleted it again
    append /txn/op/0_3-2    ack of i3    info: the store has not answered
    delete /txn/op/0_3-1
    put    /txn/id/0_3      commit       a consumer may receive i2 again

A record that is deleted after an end has been applied. Where the store has not confirmed the deletion, or may have had an end before, the
outcome of the acknowledgement is unknown. A client that was answered with success has a separate acknowledgement in the history, so that a
broker which loses what it has confirmed is reported all the same.
"""

from collections.abc import Mapping, Sequence

from fencepost.contract.events import Error

from .pulsar_recording import PulsarCall
from .store_writes import StoreWrite

_WITHDRAWN: Error = {"class": "withdrawn", "code": None, "msg": "the broker deleted the record before an end", "definite": True}
_IN_DOUBT: Error = {"class": "withdrawn", "code": None, "msg": "the broker may have deleted the record before an end", "definite": False}


def withdrawn(calls: Sequence[PulsarCall]) -> Mapping[PulsarCall, Error]:
    """The writes of acknowledgements that failed, or may have failed, although the store has confirmed them, each with the reason."""
    found: dict[PulsarCall, Error] = {}
    confirmed: dict[str, PulsarCall] = {}
    """By its key the write of each record that the store has."""
    ends: dict[str | None, bool] = {}
    """The transactions that have an end, and whether it is certain."""
    for call in sorted((one for one in calls if isinstance(one.request, StoreWrite)), key=lambda one: one.began):
        write, is_confirmed = call.request, call.lost is None
        assert isinstance(write, StoreWrite), "the others are left out"
        reported = write.as_operation()
        txn = reported["txn_id"]
        if reported["f"] in ("commit", "abort"):
            ends[txn] = ends.get(txn, False) or is_confirmed
        elif reported["f"] == "ack" and is_confirmed:
            confirmed[write.key] = call
        elif write.name == "delete" and write.key in confirmed and not ends.get(txn, False):
            found[confirmed[write.key]] = _WITHDRAWN if is_confirmed and txn not in ends else _IN_DOUBT
            if is_confirmed:
                del confirmed[write.key]
    return found
