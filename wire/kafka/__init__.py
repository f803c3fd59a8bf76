"""Kafka on the wire: entities by API and version, frames, and record batches of magic 2."""

import sys

if "hypothesis" not in sys.modules:
    # kio imports Hypothesis, where it is installed, to make it know kio's types. Only tests could use that, and a start is a tenth shorter.
    sys.modules["hypothesis"] = None  # type: ignore[assignment]  # so Python says that a module is not there
    import kio.static.primitive  # noqa: F401 - it imports Hypothesis

    del sys.modules["hypothesis"]
