"""The profile of 5.0.0-M1: it imitates a release, so each of its deviations from the proposals is known, and shows."""

from played import options, played

SPECS = ("pip460", "pip471")


def test_the_profile_shows_what_is_known_of_its_release_and_nothing_else() -> None:
    """Sealing and metadata-driven transactions: no red, no entry that is out of date, and not everything met."""
    verdicts = {shown.verdict for shown in played(options(SPECS, "pulsar-5.0"), "pulsar-scalable").values()}

    assert {"met", "known_deviation"} <= verdicts <= {"met", "known_deviation", "not_offered"}
