"""The commands, a module for each: what its options mean, and the one call that does it. `cli.py` puts them together.

Nothing heavy is imported before a command runs, so that `--help` is at hand at once.
"""
