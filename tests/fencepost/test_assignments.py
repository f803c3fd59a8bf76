"""Which consumer has which segment is a separate SHOULD; a controller that assigns segments otherwise turns no MUST red."""

import pytest
from defect_runs import judged_of_all

OTHER_ORDERS = ("scalable-assigned-from-the-last", "scalable-assigned-in-blocks")
OF_ASSIGNMENTS = ("PIP460-34", "PIP460-35", "PIP460-36", "PIP460-37", "PIP460-38", "PIP460-39", "PIP460-40", "PIP460-52")


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[str, str]]:
    """For each order, the verdicts on what depends on assignments."""
    return judged_of_all(OTHER_ORDERS, OF_ASSIGNMENTS)


@pytest.mark.parametrize("name", OTHER_ORDERS)
def test_another_order_breaks_the_should_alone(name: str, judged: dict[str, dict[str, str]]) -> None:
    """The last consumer first, and neighbouring segments together: all are covered, and each keeps what it has."""
    assert judged[name] == {requirement: "violated" if requirement == "PIP460-35" else "met" for requirement in OF_ASSIGNMENTS}
