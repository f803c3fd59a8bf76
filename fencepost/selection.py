"""Which requirements a run asks about."""

from dataclasses import dataclass

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.register import Register, Requirement


@dataclass(frozen=True)
class Selection:
    """Which requirements a run asks about; an empty part leaves nothing out."""

    specs: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    smoke: tuple[str, ...] = ()
    """The requirements of a smoke run, for this system; empty for any other run."""

    def check(self, register: Register) -> None:
        """Raises UnknownName for a proposal, an id or a level that there is none of, WrongUsage when nothing is left to judge."""
        register.rows(self.specs)
        for requirement in self.only:
            register[requirement]
        for level in self.levels:
            if level not in ("MUST", "SHOULD", "MAY"):
                raise UnknownName("level", level, ("MUST", "SHOULD", "MAY"))
        if not any(row.is_tested and self.holds(row, register.spec_of(row.id)) for row in register.rows()):
            left = [row for row in register.rows() if self.holds(row, register.spec_of(row.id))]
            why = f"of the {len(left)} selected requirements none is tested yet" if left else "no requirement has all that was asked for"
            raise WrongUsage(f"nothing is selected: {why}; see `fencepost list`")

    def holds(self, row: Requirement, spec: str) -> bool:
        return (
            (not self.specs or spec in self.specs)
            and (not self.only or row.id in self.only)
            and (not self.levels or row.level in self.levels)
            and (not self.smoke or row.id in self.smoke)
        )
