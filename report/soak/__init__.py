"""The page of a soak run: what its `soak.json` says, with pictures over time."""
