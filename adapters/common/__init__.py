"""What the adapters of all protocols do alike: addresses, time and patience, faults, recording, and brokers in containers."""
