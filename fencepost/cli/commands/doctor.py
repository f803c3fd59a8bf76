"""`fencepost doctor`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.cli.system_options import JudgedOptions, takes_a_system


@takes_a_system
def doctor(
    judged: JudgedOptions,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
) -> None:
    """Show what a system is and what it offers, before a run judges it.

    Shows the APIs with their versions, the finalized features, the profile, the clock and the capabilities, how many requirements
    of each proposal can be tested, and what would open the rest.
    """
    from fencepost.adapters import registry
    from fencepost.contract.registration import SpecifiedSystem
    from fencepost.doctor import checkup
    from fencepost.run.identity import DeclaredSystem
    from fencepost.run.options import RunOptions, given

    judged.need("doctor")

    def show() -> int:
        asked = SpecifiedSystem(given(judged.values(), judged.set_system or ()), judged.profile)
        return checkup.show(RunOptions(registry.named(judged.system), asked, named=DeclaredSystem.of(known_as=judged.known_as)), form)

    guarded(show)
