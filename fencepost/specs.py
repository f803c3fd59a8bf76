"""The proposals as they are judged: each binds a protocol that is spoken here, in vocabularies that there are."""

import pkgutil

from fencepost import steps
from fencepost.adapters import registry
from fencepost.contract import proposals


def vocabularies() -> list[str]:
    """The vocabularies that there are: the folders in `steps/`."""
    return [module.name for module in pkgutil.iter_modules(steps.__path__) if module.ispkg]


def check() -> None:
    """Raises WrongUsage, with file, line and key, for a `spec.yaml` that names a protocol or a vocabulary that there is none of."""
    proposals.bundled().check(registry.protocols(), vocabularies())
