"""Runs with several worker processes (`-n`): which worker plays which scenario, and what each is doing."""
