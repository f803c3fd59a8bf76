"""The `fencepost` command, and `python -m fencepost`."""

from . import stopping


def main() -> None:
    """Hears signals before the command line is imported, which takes long enough for a Ctrl-C."""
    stopping.before_anything_began()
    from .cli import main as begin

    begin()


if __name__ == "__main__":
    main()
