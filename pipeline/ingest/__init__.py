"""Reading histories: files of several formats in, events of one schema out, and beside them what could not be read.

`files` finds them and refuses those that nobody should open, `json_lines`, `parquet` and `edn` read one format each, `events` joins and
judges the lines, and `quarantine` tells for a bad line where it stands.
"""
