"""Unusual variants that break no promise, which nothing may catch."""
