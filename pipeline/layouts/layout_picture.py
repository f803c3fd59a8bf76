"""The picture: hashes from top to bottom, the events of the history from left to right. All that it shows is escaped.

A segment is a box as high as its hashes, from when it was made until it was sealed. From then on it is a line, until it is pruned or the
history ends: it can still be read. Dots are records that were written, rings those that were read.
"""

from collections.abc import Iterator, Mapping
from html import escape

from .story import Story, StoryMark, StorySegment

_LEFT, _RIGHT, _TOP, _HEIGHT, _ROW = 92, 40, 64, 320, 24
_NARROWEST, _WIDEST, _STEP_MOST, _STEP_LEAST = 720, 1100, 48, 5
_HASHES = 1 << 16
_COLOURS = ("#2f6f3e", "#3d5a80", "#a36a00", "#7a3b69", "#1f7a8c", "#6b705c", "#8d5524", "#4f518c")
_LEGEND = "boxes take messages, dashed lines are sealed and can be read; dots were written, rings read"
_MEANT, _COMMITTED, _ABORTED, _OPEN = "#a3161b", "#2f6f3e", "#a3161b", "#6b6b6b"


def drawn(story: Story) -> str:
    """The SVG."""
    place = _places(story)
    right = max(place.values(), default=_LEFT)
    width, bottom = max(right + _RIGHT, _NARROWEST), _TOP + _HEIGHT
    height = bottom + 18 + _ROW * len(story.transactions) + (_ROW if story.left_out else 0)
    name = story.topic or "a topic"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11"'
        f' role="img" aria-label="{escape(f"The layout of {name} over time")}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(12, 22, f"The layout of {name} over time", size=14),
        _text(12, 42, _LEGEND + ("; red is what is meant" if any(mark.is_meant for mark in story.marks) else ""), fill="#555555"),
        *_axis(),
        *(line for index, one in enumerate(story.segments.values()) for line in _segment(one, place, right, _colour(index))),
        *_marks(story, place),
        *_transactions(story, place, right, bottom + 18),
    ]
    if story.left_out:
        lines.append(_text(12, height - 8, f"{story.left_out} more records are not drawn", fill="#555555"))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _places(story: Story) -> Mapping[int, float]:
    """Where each moment is; all are equally far from each other, so that a long pause takes no room."""
    moments = story.moments
    step = max(_STEP_LEAST, min(_STEP_MOST, _WIDEST / max(1, len(moments))))
    return {moment: round(_LEFT + 10 + index * step, 1) for index, moment in enumerate(moments)}


def _axis() -> Iterator[str]:
    for hash_ in (0, _HASHES // 4, _HASHES // 2, 3 * _HASHES // 4, _HASHES - 1):
        y = _y(hash_)
        yield f'<line x1="{_LEFT - 6}" x2="{_LEFT}" y1="{y}" y2="{y}" stroke="#999999"/>'
        yield _text(_LEFT - 40, y + 4, f"{hash_:04x}", size=10, fill="#555555")


def _segment(segment: StorySegment, place: Mapping[int, float], right: float, colour: str) -> Iterator[str]:
    x, top, bottom = place[segment.born], _y(segment.first), _y(segment.last + 1)
    end = right if segment.sealed is None else place[segment.sealed]
    title = f"<title>{escape(segment.name)}</title>"
    yield (
        f'<rect class="segment" x="{x}" y="{top}" width="{max(end - x, 3):.1f}" height="{max(bottom - top, 2):.1f}"'
        f' fill="{colour}" fill-opacity="0.16" stroke="{colour}">{title}</rect>'
    )
    yield _text(x + 4, min(top + 13, bottom), segment.number, fill=colour)
    if segment.sealed is None:
        return
    if segment.changing is not None and place[segment.changing] < end:
        yield (
            f'<rect class="sealing" x="{place[segment.changing]}" y="{top}" width="{end - place[segment.changing]:.1f}"'
            f' height="{max(bottom - top, 2):.1f}" fill="{colour}" fill-opacity="0.2"/>'
        )
    middle, gone = _middle(segment), right if segment.gone is None else place[segment.gone]
    yield (
        f'<line class="sealed" x1="{end}" x2="{gone}" y1="{middle}" y2="{middle}" stroke="{colour}"'
        f' stroke-width="2" stroke-dasharray="6 4">{title}</line>'
    )
    yield f'<line class="seal" x1="{end}" x2="{end}" y1="{top}" y2="{bottom}" stroke="{colour}" stroke-width="3"/>'
    yield _text(end + 4, middle - 4, f"{segment.number} sealed", size=10, fill=colour)
    if segment.gone is not None:
        yield _text(gone + 4, middle + 13, f"{segment.number} pruned", size=10, fill=colour)


def _marks(story: Story, place: Mapping[int, float]) -> Iterator[str]:
    colours = {name: _colour(index) for index, name in enumerate(story.segments)}
    for mark in story.marks:
        segment = story.segments[mark.segment]
        is_on_line = segment.sealed is not None and mark.at > segment.sealed and mark.way == "recv"
        y = _middle(segment) if is_on_line or mark.hash is None else _y(mark.hash)
        colour = _MEANT if mark.is_meant else colours[mark.segment]
        fill = colour if mark.way == "send" and mark.is_done else "#ffffff"
        size = 6 if mark.is_meant else 4
        dashes = "" if mark.is_done else ' stroke-dasharray="2 2"'
        yield (
            f'<circle class="{mark.way}" cx="{place[mark.at]}" cy="{y}" r="{size}" fill="{fill}" stroke="{colour}" stroke-width="1.5"'
            f"{dashes}><title>{escape(_in_words(mark, segment))}</title></circle>"
        )
        if mark.is_meant:
            yield _text(place[mark.at] + 8, y + 4, mark.value[:40], size=10, fill=_MEANT)


def _transactions(story: Story, place: Mapping[int, float], right: float, top: int) -> Iterator[str]:
    for row, one in enumerate(story.transactions):
        y, x = top + _ROW * row, place[one.begun]
        end = right if one.ended is None else place[one.ended]
        colour = {"commit": _COMMITTED, "abort": _ABORTED}.get(one.action or "", _OPEN)
        yield (
            f'<rect class="transaction" x="{x}" y="{y}" width="{max(end - x, 3):.1f}" height="14" fill="{colour}" fill-opacity="0.35"'
            f"><title>{escape(one.name)}</title></rect>"
        )
        said = {"commit": "committed", "abort": "aborted"}.get(one.action or "", "open at the end")
        yield _text(x + 4, y + 11, f"{one.name[:40]} {said}", size=10)


def _in_words(mark: StoryMark, segment: StorySegment) -> str:
    what, way = ("wrote", "to") if mark.way == "send" else ("read", "from")
    within = "" if mark.transaction is None else f" in {mark.transaction}"
    doubt = "" if mark.is_done else ", outcome not known"
    return f"{mark.who} {what} {mark.value} {way} segment {segment.number}{within}{doubt} (event {mark.at})"


def _colour(index: int) -> str:
    return _COLOURS[index % len(_COLOURS)]


def _middle(segment: StorySegment) -> float:
    return round((_y(segment.first) + _y(segment.last + 1)) / 2, 1)


def _y(hash_: int) -> float:
    return round(_TOP + _HEIGHT * hash_ / _HASHES, 1)


def _text(x: float, y: float, said: str, *, size: int = 11, fill: str = "#000000") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}">{escape(said)}</text>'
