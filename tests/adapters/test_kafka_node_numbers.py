"""Scenarios' numbers of nodes, and the ids of a cluster."""

import pytest

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.cluster import NO_NODE, Nodes
from fencepost.contract.evidence import SetUpFailed

FIRST, SECOND, THIRD = (Address("host", port) for port in (9092, 9093, 9094))


def test_the_bootstrap_node_is_node_1_whatever_its_id() -> None:
    """The others follow by their ids."""
    nodes = Nodes().seen({40: FIRST, 7: THIRD, 2: SECOND}, FIRST)

    assert nodes.numbers == [1, 2, 3]
    assert [nodes.id_of(number) for number in nodes.numbers] == [40, 2, 7]
    assert [nodes.address_of(number) for number in nodes.numbers] == [FIRST, SECOND, THIRD]
    assert [nodes.number_of(node_id) for node_id in (40, 2, 7)] == [1, 2, 3]


def test_of_two_ids_at_the_bootstrap_address_the_lower_one_is_node_1() -> None:
    """The other one is at the place of its id, as a node that leads no partition."""
    assert [Nodes().seen({7: FIRST, 1: FIRST, 2: SECOND}, FIRST).id_of(number) for number in (1, 2, 3)] == [1, 2, 7]


def test_without_the_bootstrap_address_the_lowest_id_is_node_1() -> None:
    """A cluster may advertise other addresses than the one that a client begins with."""
    assert Nodes().seen({5: SECOND, 3: THIRD}, FIRST).id_of(1) == 3


def test_a_node_keeps_its_number_while_metadata_does_not_name_it() -> None:
    """Otherwise a scenario would pause the wrong node once the first one is down."""
    nodes = Nodes().seen({1: FIRST, 2: SECOND}, FIRST).seen({2: SECOND, 0: THIRD}, FIRST)

    assert [nodes.number_of(node_id) for node_id in (1, 2, 0)] == [1, 2, 3]


def test_a_number_that_no_node_has_stands_for_an_id_that_no_node_has() -> None:
    """It is requested as such; it has no address, and an id that was never named has no number."""
    nodes = Nodes().seen({1: FIRST, 9: SECOND}, FIRST)

    assert nodes.id_of(9) not in {1, 9}
    assert nodes.number_of(4) == nodes.number_at(THIRD) == NO_NODE
    with pytest.raises(SetUpFailed, match="no node 3, only 2 with the ids 1, 9"):
        nodes.address_of(3)
