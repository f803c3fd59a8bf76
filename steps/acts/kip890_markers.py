"""Acts of KIP-890 about WriteTxnMarkers with all of its fields: the decision, the epoch, the version, the coordinator, the partitions."""

from collections.abc import Iterator
from itertools import product

from .act import Act
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_model import Kip890Clients
from .kip890_words import E_AND_F, KEPT, PAIR, SAME, SPARE, WROTE, E

_KINDS = {"an ABORT marker": "nothing", "a COMMIT marker": '"{u}"'}
_NEWER, _REFUSED = " with transaction version 2", "it is refused with INVALID_PRODUCER_EPOCH"
_RESTARTS = {"": "", "crash": "the system has crashed and restarted"}
_STARTS = 'the open transaction of E in kept-0 starts at "{u}"'


def _late() -> Iterator[Kip890Episode]:
    """Markers of another transaction: of an earlier one, of the one that is open, and once more of the last one."""
    due: tuple[str, ...]
    for (kind, _), (needs, restart) in product(_KINDS.items(), _RESTARTS.items()):
        down = tuple(filter(None, (restart,)))
        reaches = f"{kind} for E reaches kept-0"
        first = (KEPT, E, WROTE, *down)
        yield Kip890Episode(first, reaches + _NEWER, (_REFUSED, _STARTS, SAME), "127", needs=needs)
        for has in ("committed", "aborted") if not needs else ("committed",):
            again = (KEPT, E, 'E has written "{u}0" to kept-0', f"E has {has}", WROTE, *down)
            yield Kip890Episode(again, reaches + _NEWER, (_REFUSED, _STARTS, SAME), "127", needs=needs)
            yield Kip890Episode(again, f"{reaches} with its previous epoch", (_REFUSED, _STARTS), "128", needs=needs)
            over = (KEPT, E, WROTE, f"E has {has}", *down)
            yield Kip890Episode(over, f"{reaches} with its previous epoch", (_REFUSED, SAME), "128", needs=needs)
    for has, kind, seen in (("committed", "a COMMIT marker", '"{u}"'), ("aborted", "an ABORT marker", "nothing")):
        for needs, restart in _RESTARTS.items():
            over = (KEPT, E, WROTE, f"E has {has}", *filter(None, (restart,)))
            due = ("it is done", f"readers of kept-0 see {seen}", "the last stable offset of kept-0 is the high watermark")
            yield Kip890Episode(over, f"{kind} for E reaches kept-0{_NEWER}", due, "129", needs=needs)


def _decided() -> Iterator[Kip890Episode]:
    """An operator's marker ends what is open, in one partition or in several, of new clients and of old ones."""
    due: tuple[str, ...]
    decided = "the last stable offset of {} is the high watermark"
    for (kind, seen), old in product(_KINDS.items(), ((), ("E is an old client (transaction version 0)",))):
        due = ("it is done", f"readers of kept-0 see {seen}", decided.format("kept-0"))
        yield Kip890Episode((KEPT, E, *old, WROTE), f"{kind} for E reaches kept-0", due, "131")
        for topics, here, there in (((PAIR,), "kept-0", "kept-1"), ((KEPT, SPARE), "kept-0", "spare-0")):
            givens = (*topics, E, *old, f'E has written "{{u}}" to {here}', f'E has written "{{u}}" to {there}')
            for one, other in ((here, there), (there, here)):
                both = (f"it is done for {one} and {other}", f"readers of {other} see {seen}", decided.format(f"{one} and {other}"))
                yield Kip890Episode(givens, f"{kind} for E reaches {one} and {other}", both, "131")
    for kind, missing in product(_KINDS, ("kept-9", "spare-9")):
        due = (f"it is refused only for {missing} with UNKNOWN_TOPIC_OR_PARTITION", decided.format("kept-0"))
        yield Kip890Episode((KEPT, SPARE, E, WROTE), f"{kind} for E reaches kept-0 and {missing}", due, "134")


def _coordinators() -> Iterator[Kip890Episode]:
    """Markers of an older coordinator than one that the partition knows, and of a newer one."""
    due: tuple[str, ...]
    fenced = "TRANSACTION_COORDINATOR_FENCED"
    for needs, restart in _RESTARTS.items():
        down = tuple(filter(None, (restart,)))
        seen = (KEPT, E, "an ABORT marker for E has reached kept-0 from coordinator epoch 7", WROTE, *down)
        for kind in _KINDS:
            due = (f"it is refused with {fenced}", _STARTS, SAME)
            yield Kip890Episode(seen, f"{kind} for E reaches kept-0 from coordinator epoch 6", due, "130", needs=needs)
            for epoch in (7, 8):
                done = ("it is done", "the last stable offset of kept-0 is the high watermark")
                yield Kip890Episode(seen, f"{kind} for E reaches kept-0 from coordinator epoch {epoch}", done, "130", needs=needs)
    for kind, before in product(_KINDS, ("", 'F has written "{u}f" to kept-0')):
        another = "an ABORT marker for E has reached kept-0 from coordinator epoch 7"
        done = ("it is done", "the last stable offset of kept-0 is the high watermark")
        givens = (KEPT, E_AND_F, *filter(None, (before,)), another)
        yield Kip890Episode(givens, f"{kind} for F reaches kept-0 from coordinator epoch 6", done, "130")
    for known, other in (("kept-0", "kept-1"), ("kept-1", "kept-0")):
        givens = (PAIR, E, f'E has written "{{u}}" to {other}', f"an ABORT marker for E has reached {known} from coordinator epoch 7")
        due = (f"it is refused only for {known} with {fenced}", f"the last stable offset of {other} is the high watermark")
        yield Kip890Episode(givens, "an ABORT marker for E reaches kept-0 and kept-1 from coordinator epoch 6", due, "130")


def _two_producers() -> Iterator[Kip890Episode]:
    """Each marker of a request is judged by itself, whatever came of the other."""
    due: tuple[str, ...]
    both = (KEPT, E_AND_F, 'E has written "{u}e" to kept-0', 'F has written "{u}f" to kept-0')
    reach = "reach kept-0 in one request"
    done = tuple(f"it is done for kept-0 of {name}" for name in "EF")
    for one, other in product(_KINDS, repeat=2):
        seen = [value for kind, value in ((one, '"{u}e"'), (other, '"{u}f"')) if "COMMIT" in kind]
        due = (*done, f"readers of kept-0 see {', '.join(seen) or 'nothing'}", "the last stable offset of kept-0 is the high watermark")
        yield Kip890Episode(both, f"{one} for E and {other} for F {reach}", due, "406")
        refused = (
            done[0],
            "it is refused for kept-0 of F with INVALID_PRODUCER_EPOCH",
            'the open transaction of F in kept-0 starts at "{u}f"',
        )
        yield Kip890Episode(both, f"{one} for E and, with transaction version 2, {other} for F {reach}", refused, "406")
        ahead = (KEPT, E_AND_F, 'F has written "{u}f" to kept-0', "an ABORT marker for E has reached kept-0 with the next epoch")
        behind = (
            "it is refused for kept-0 of E with INVALID_PRODUCER_EPOCH",
            done[1],
            "the last stable offset of kept-0 is the high watermark",
        )
        yield Kip890Episode(ahead, f"{one} for E and {other} for F {reach}", behind, "406")


def _unknown_producers() -> Iterator[Kip890Episode]:
    """Partitions that know a producer by its marker alone."""
    for (needs, restart), kind in product(_RESTARTS.items(), _KINDS):
        down = tuple(filter(None, (restart,)))
        marker = f"{kind} for E has reached kept-0"
        late = (KEPT, E, f"{marker} with the next epoch", *down)
        yield Kip890Episode(late, 'E writes "{u}" to kept-0', (_REFUSED, SAME), "132", needs=needs)
        known = (KEPT, E, marker, *down)
        yield Kip890Episode(known, 'E writes "{u}" to kept-0 at sequence 0', ("it is done", _STARTS), "132", needs=needs)
        skipped = ("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER", SAME)
        yield Kip890Episode(known, 'E writes "{u}" to kept-0 at sequence 3', skipped, "132", needs=needs)
        none = (
            *("it is done", "a read_committed Fetch of kept-0 lists no aborted transaction"),
            "the last stable offset of kept-0 is the high watermark",
        )
        yield Kip890Episode((KEPT, E, *down), f"{kind} for E reaches kept-0", none, "133", needs=needs)


def _refused() -> Iterator[Kip890Episode]:
    """A marker that was refused leaves nothing: the transaction continues, and its own coordinator ends it."""
    seven, six = " from coordinator epoch 7", " from coordinator epoch 6"
    newer = "an ABORT marker for E has reached kept-0 from coordinator epoch 7"
    for kind, (ends, seen) in product(_KINDS, (("commits", '"{u}"'), ("aborts", "nothing"))):
        over = ("the transaction of E is over", f"readers of kept-0 see {seen}")
        for before, refused in (
            (("E has initialised again", WROTE), f"kept-0 has refused {kind} for E with its previous epoch{seven}"),
            ((WROTE,), f"kept-0 has refused {kind} for E{seven} with transaction version 2"),
        ):
            yield Kip890Episode((KEPT, E, *before, refused), f"E {ends}", over, "411")
        late = (KEPT, E, newer, WROTE, f"kept-0 has refused {kind} for E with the next epoch{six}")
        more = ('it is done and answers the offset of "{u}2"', 'the last stable offset of kept-0 is the offset of "{u}"')
        yield Kip890Episode(late, 'E writes "{u}2" to kept-0', more, "411")


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts about markers."""
    for episodes in (_late, _decided, _coordinators, _two_producers, _unknown_producers, _refused):
        yield from acts_of(episodes())
