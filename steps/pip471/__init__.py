"""The sentences of PIP-471 that no other proposal speaks: segments, the metadata store and its troubles, and crashes at named points."""
