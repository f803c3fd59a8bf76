"""`python -m fencepost`."""

from .cli import main

if __name__ == "__main__":
    main()
