"""Reading histories: files of several formats in, events of one schema out, and separately what could not be read.

`files` finds them and refuses those that are unsafe to open, `json_lines`, `parquet` and `edn` read one format each, `events` joins and
judges the lines, and `quarantine` reports where each bad line is.
"""
