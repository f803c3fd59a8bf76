"""The `fencepost` command, and `python -m fencepost`."""

from fencepost.run import interruption


def main() -> None:
    """Handles signals before the command line is imported, which takes long enough for a Ctrl-C."""
    interruption.before_anything_began()
    from fencepost.cli.application import main as begin

    begin()


if __name__ == "__main__":
    main()
