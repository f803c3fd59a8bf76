"""Places for those that are busy."""

from fencepost.contract.places import Places


def test_a_place_goes_to_whoever_has_waited_longest() -> None:
    """Whoever leaves one and asks again at once comes after those that wait already."""
    places = Places(2)
    first, second, third, fourth = (places.ask() for _ in range(4))
    found = [[one.is_set() for one in (first, second, third, fourth)]]

    places.leave()
    again = places.ask()
    found.append([third.is_set(), fourth.is_set(), again.is_set()])
    places.leave()
    found.append([fourth.is_set(), again.is_set()])
    places.leave()

    assert found == [[True, True, False, False], [True, False, False], [True, False]]
    assert again.is_set()


def test_a_place_that_nobody_waits_for_is_free_again() -> None:
    """Also where what was done there has failed."""
    places = Places(1)
    try:
        with places:
            raise ValueError
    except ValueError:
        pass

    assert places.ask().is_set()
