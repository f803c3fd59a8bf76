"""An edition never changes: what "conforms to KIP-890 (Fencepost edition 2026.12)" means can be cited for ever."""

import hashlib

from imports import CHECKOUT

from fencepost.contract import editions, parity, register

FROZEN = {
    "features/core/editions/2026-12.yaml": "a78ee3072458f50a490f1460672d8306f70b798fbb4c03a3337307c16140f3a9",
    "features/kip890/editions/2026-12.yaml": "7e2b458054e0506cd45ff102d51aca3b61b49191f3d54651b145ecc8516d3943",
    "features/pip31/editions/2026-12.yaml": "d6a2ca3418a9feff5732ca831dd9865da75b35aac8e0a2cc4a82274cf2e77283",
    "features/pip460/editions/2026-12.yaml": "be0aa6addefe01151367c2bd071a2e082a78a59176e004590de9b194a7b83b41",
    "features/pip471/editions/2026-12.yaml": "78d62960ebda8600b87863dba3201dc785856457e0a1f94e452053696f41a41f",
    "features/transaction_key/editions/2026-12.yaml": "7c07e62e5cb6b59f8baab3a9c66416397f8cd8f7f985a3960a09685000609503",
}
"""The SHA-256 of each edition's file. A new edition adds a line; no line changes or goes."""

PARITY = "ab00651a02e106d0fd29a0c097d546d75360fcb5bb97788ceed7dc40b3a37d12"
"""The SHA-256 of the ids of all editions that bind builds of one implementation, one a line. It changes only if one more does."""


def test_an_edition_never_changes() -> None:
    """Nor does one appear or go without its line here."""
    files = CHECKOUT.glob("features/*/editions/*")

    assert {path.relative_to(CHECKOUT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files} == FROZEN


def test_the_requirements_of_every_edition_exist() -> None:
    """Also those that were withdrawn later."""
    rows = register.bundled().by_spec
    listed = {spec: {one for edition in those for one in edition.requirements} for spec, those in editions.bundled().by_spec.items()}

    assert {spec: len(ids) for spec, ids in listed.items()}.items() >= {"core": 45, "kip890": 248, "pip31": 113}.items()
    assert all(ids <= {row.id for row in rows[spec]} for spec, ids in listed.items())


def test_no_row_of_an_edition_binds_more_systems_than_when_the_edition_was_made() -> None:
    """A row of one implementation stays one: as a decided row it would bind every system."""
    counting = {one for those in editions.bundled().by_spec.values() for edition in those for one in edition.requirements}
    rows = (row for of_spec in register.bundled().by_spec.values() for row in of_spec)
    ids = sorted(row.id for row in rows if row.id in counting and row.source == parity.SOURCE)

    assert hashlib.sha256("\n".join(ids).encode()).hexdigest() == PARITY
