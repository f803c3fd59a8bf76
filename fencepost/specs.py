"""The proposals as they are judged: each binds a protocol that is spoken here, in vocabularies that there are."""

import pkgutil

from fencepost import steps
from fencepost.adapters import registry
from fencepost.contract import proposals


def check() -> None:
    """Raises WrongUsage, with file, line and key, for a `spec.yaml` that names a protocol or a vocabulary that there is none of."""
    vocabularies = [module.name for module in pkgutil.iter_modules(steps.__path__) if module.ispkg]
    proposals.bundled().check(registry.protocols(), vocabularies)
