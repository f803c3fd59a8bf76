"""Runs with several worker processes (`-n`): who plays what, and what each is doing."""
