"""A scenario as a sequence picture: each request with its sender and receiver, each answer, and the exchange that decided the verdict.

`calls` reads a history into requests with their ends, `steps` finds the step of the scenario that made each of them, `rows` folds what
only helps, `lanes` has the order of the actors, `wording` puts a request and an answer in a few words, `logs` knows the log of each
partition at each moment, `log_columns` draws these to the right of the lanes, and `sequence_drawing` draws the SVG.
"""

from .calls import Call, calls_of, readable_events
from .sequence_drawing import STYLE, drawn
from .steps import PicturedStep, Scene

__all__ = ["STYLE", "Call", "PicturedStep", "Scene", "calls_of", "drawn", "readable_events"]
