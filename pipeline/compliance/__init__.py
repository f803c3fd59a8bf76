"""The results of many runs as one table, and what it shows.

`folders` finds the runs, `table` reads them into rows (requirement by system, version and run) and reports what cannot be read, and
`summary` computes from the rows what a report shows: `facts`, plain values, as many as a page can show, however many runs there are.
All counting and choosing is Spark's.
"""
