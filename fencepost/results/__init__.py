"""The results folder: what it holds, how it is written and read, and how two of them are compared."""
