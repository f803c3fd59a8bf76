"""PIP-31's defects, a module for each feature."""
