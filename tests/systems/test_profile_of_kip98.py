"""The profile of a broker at KIP-98's level: without KIP-890's second part, and with nothing that describes transactions."""

import pytest
from played import options, played

SEALING = {"CORE-43", "CORE-44", "CORE-45"}
NO_EPOCH_TELLS = {"CORE-30"}
"""An end that comes again and the next transaction's own have one epoch there, so nothing of it can be asked."""


def test_it_meets_all_that_it_can_be_asked() -> None:
    """By old clients, and by what readers see: of the core all but sealing and one row; of KIP-890 what does not need its second part."""
    shown = played(options(("core", "kip890"), "kip98"), "kafka")

    assert {one.verdict for one in shown.values()} == {"met", "not_offered"}
    met = {one.requirement for one in shown.values() if one.verdict == "met"}
    core = {row for row in met if row.startswith("CORE")}
    assert len(core) == 41
    assert len(met - core) >= 91


@pytest.mark.parametrize("row", sorted(SEALING | NO_EPOCH_TELLS))
def test_what_it_cannot_be_asked_is_not_offered(row: str) -> None:
    """With the reason, and never met."""
    shown = played(options(("core",), "kip98"), "kafka")

    assert {one.verdict for one in shown.values() if one.requirement == row} == {"not_offered"}
