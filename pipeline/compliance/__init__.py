"""The results of many runs as one table, and what stands in it.

`folders` finds the runs, `table` reads them into rows (requirement by system, version and run) and tells what cannot be read, and `summary`
answers from the rows what a report shows. Its answers are `facts`: plain values, as many as a page can show, however many runs
there are. All counting and choosing is Spark's.
"""
