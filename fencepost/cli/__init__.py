"""The command line: its commands, options, configuration and completion, and how an error becomes a line and an exit code."""
