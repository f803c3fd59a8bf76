"""Refusals for want of a right."""

import pytest

from fencepost.contract.evidence import Mismatch
from fencepost.contract.rights import may_lack_rights, right_refused


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("a refusal with CLUSTER_AUTHORIZATION_FAILED (31)", "CLUSTER_AUTHORIZATION_FAILED"),
        ("payments-0: a refusal with TOPIC_AUTHORIZATION_FAILED (29)", "TOPIC_AUTHORIZATION_FAILED"),
        ("a refusal with SASL_AUTHENTICATION_FAILED (58)", None),
        ("a refusal with INVALID_TXN_STATE (48)", None),
        ("success", None),
    ],
)
def test_a_refusal_for_want_of_a_right_is_found_in_what_was_seen(seen: str, right: str | None) -> None:
    """In an answer, and in the answer for one partition; what was expected does not count."""
    assert right_refused(Mismatch("a refusal with GROUP_AUTHORIZATION_FAILED", seen, "answer")) == right


def test_a_session_that_does_not_say_so_is_of_known_rights() -> None:
    """Such as one of the reference, or of a container that the run has started."""

    class Session:
        has_unknown_rights = True

    assert may_lack_rights(Session())
    assert not may_lack_rights(object())
    assert not may_lack_rights(None)
