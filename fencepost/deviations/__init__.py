"""Known deviations, the bundled ones and a user's own: how they are read, matched, written and verified."""
