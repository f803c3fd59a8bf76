"""The foundation: the types that packages exchange, and the data files that all of them read.

`outcomes`, `errors` (with the exit codes) and `capabilities` are the words; `ports` and `transactional_log` are what a system under test
implements; `evidence` and `verdict` are what a scenario produces; `events` are the shapes of a history.
`datafile`, `register`, `gherkin` and `proposals` read data files and features; `items` finds the same in a run of pytest.

Imports nothing of ours. Every other package may import it.
"""
