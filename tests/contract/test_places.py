"""Places for those that are busy."""

from fencepost.contract.fair_places import FairPlaces


def test_a_place_goes_to_the_scenario_that_has_waited_longest() -> None:
    """A scenario that releases its place and asks again at once comes after those that already wait."""
    places = FairPlaces(2)
    first, second, third, fourth = (places.ask() for _ in range(4))
    found = [[one.is_set() for one in (first, second, third, fourth)]]

    places.give_back()
    again = places.ask()
    found.append([third.is_set(), fourth.is_set(), again.is_set()])
    places.give_back()
    found.append([fourth.is_set(), again.is_set()])
    places.give_back()

    assert found == [[True, True, False, False], [True, False, False], [True, False]]
    assert again.is_set()


def test_a_place_that_no_scenario_waits_for_is_free_again() -> None:
    """Also where what was done there has failed."""
    places = FairPlaces(1)
    try:
        with places:
            raise ValueError
    except ValueError:
        pass

    assert places.ask().is_set()


def test_a_thread_has_one_place() -> None:
    """Also where it asks twice; and it leaves none that it has not."""
    places = FairPlaces(2)
    places.take()
    places.take()
    other = places.ask()

    left = [places.leave(), places.leave()]

    assert (other.is_set(), left) == (True, [True, False])
    assert [places.ask().is_set() for _ in range(2)] == [True, False]
