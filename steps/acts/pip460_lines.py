"""The lines that several acts of PIP-460 share: changes, what readers and subscriptions receive, and what the layout shows."""

from collections.abc import Sequence

from fencepost.steps.pulsar.vocabulary import shown

from .act import ActLine, LinesOf, joined
from .pip460_model import TOPIC, Layouts

LINES = LinesOf("PIP460")
given, when, then = LINES.given, LINES.when, LINES.then


def refused(asked: str, why: str, due: str = "it is refused", *, as_given: str | None = None) -> list[ActLine]:
    """A request that is refused."""
    return [when(asked, why, as_given), then(due, why)]


def named(names: Sequence[str]) -> str:
    """Segments in quotation marks, as those of a layout are named."""
    quoted = [f'"{name}"' for name in names]
    if len(quoted) == 1:
        return f"segment {quoted[0]}"
    return f"segments {', '.join(quoted[:-1])} and {quoted[-1]}"


def change(parents: tuple[str, ...], children: tuple[str, ...]) -> str:
    """A change in the words of a Given."""
    if len(parents) == 1:
        return f"{parents[0]} has been split into {joined(children)}"
    return f"{joined(parents)} have been merged into {joined(children)}"


def requested(parents: tuple[str, ...]) -> str:
    """A change that is asked for, whatever comes of it."""
    return f"{'a split of' if len(parents) == 1 else 'a merge of'} {joined(parents)}"


def something_written(model: Layouts, segment: str, why: str) -> list[ActLine]:
    """A message, where the segment has none: only that shows whether a subscription was there before."""
    one = model.segments[segment]
    if one.values or one.is_sealed:
        return []
    value = model.new_value()
    model.write(segment, value)
    return [given(f'"{value}" has been written to {segment}', why)]


def readers(model: Layouts, segment: str, why: str | None = None) -> list[ActLine]:
    """What readers of a segment receive."""
    one = model.segments[segment]
    if not one.is_exact or one.may_be_gone:
        return []
    model.show(segment)
    order = " in some order" if len(one.values) > 1 and any(of is not None for _, of in one.entries) else ""
    reason = why or ("14" if one.is_sealed else "16" if one.parents else "15")
    return [then(f"readers of {segment} see {shown(one.values)}{order}", reason)]


def layout(model: Layouts) -> list[ActLine]:
    """What the layout shows of all that was changed."""
    lines = [then(f"at every epoch {TOPIC} has each hash in one active segment", "01")]
    lines.append(then(f"at every epoch {TOPIC} has segments whose numbers no other one had", "07"))
    if model.is_open_ended:
        return lines
    for parents, children in model.families():
        lines.append(then(f"{joined(parents)} and {named(children)} name each other", "04"))
    if not model.has_waited:
        lines.append(then(f"{TOPIC} is at epoch {model.epoch}", "06"))
        if model.changes and not model.is_recreated:
            lines.append(then(f"the layout of {TOPIC} is what the answers say", "08"))
    return lines
