"""The places of a text at which a mutant can be made, as if it were a module of the reference."""

from fencepost.proof.mutants.mutation_sites import MutationSite, places_in


def places(text: str) -> list[MutationSite]:
    return places_in("reference/kafka/x.py", text.encode())
