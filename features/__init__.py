"""The specification: one folder per proposal, with its register and its features. Read this room first."""
