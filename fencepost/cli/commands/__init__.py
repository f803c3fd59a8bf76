"""The commands, a module for each: what its options mean, and the one call that does it. `application.py` puts them together.

Nothing heavy is imported before a command runs, so that `--help` is at hand at once.
"""
