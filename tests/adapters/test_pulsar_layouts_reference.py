"""The probe and the reference's layouts: what holds on a real broker holds here, in no time."""

import pytest
from layout_laws import LAWS, Law

from fencepost.adapters.reference_scalable import ScalableReferenceSystem


@pytest.mark.parametrize("profile", ["seed", "pulsar-5.0"])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_it_holds(law: Law, profile: str) -> None:
    """With the behaviour of the text, and with that of the release."""
    system = ScalableReferenceSystem(profile)
    system.open()
    session = system.session(f"{law.__name__} {profile}")
    try:
        law(session)
    finally:
        session.close()
        system.close()
