"""The parts that adapters of all protocols share: addresses, time and patience, faults, recording, and brokers in containers."""
