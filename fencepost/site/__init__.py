"""`fencepost site`: the specification, the reference and what runs have shown, as pages that need no server.

`command` makes the folder, `addresses` says where each page stands, and `writer` renders and writes pages. Each other module has what
stands on one kind of page: `requirements` (with `scenarios` and `pictures`), `proposals`, `sentences`, `releases`, `bugs`, `runs` (what
results folders show, read by `columns`), `book` (the reference's code) and `documents` (the pages of `docs/`).
"""
