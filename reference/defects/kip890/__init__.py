"""KIP-890's defects, a module for each feature."""
