"""The layout of a scalable topic over time, with the page of a scenario that changed it and is not met."""

from collections.abc import Iterable, Mapping
from typing import Any

from fencepost.pipeline.layouts.layout_picture import drawn
from fencepost.pipeline.layouts.story import happenings, story

from .allure_results import AllureWriter, Node


def pictures(writer: AllureWriter, history: Iterable[Mapping[str, Any]]) -> list[Node]:
    """The attachments: one picture, or none where no layout changed."""
    reported = story(happenings(history))
    return [] if reported is None or not reported.segments else [writer.picture("The layout of the topic over time", drawn(reported))]
