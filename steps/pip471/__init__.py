"""The sentences that only PIP-471 uses: segments, the metadata store and its faults, and crashes at named points."""
