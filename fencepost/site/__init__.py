"""`fencepost site`: the specification, the reference and what runs have shown, as pages that need no server.

`builder` makes the folder, `addresses` says where each page stands, and `page_writer` renders and writes pages. Each other module has what
stands on one kind of page: `requirement_pages` (with `scenario_steps`, `sequence_pictures` and `requirement_twins`), `proposal_pages`,
`sentence_pages`, `release_pages`, `known_matrix` (the releases on the home page), `bug_page`, `run_pages` (what results folders show, read
by `run_columns`), `book` (the reference's code) and `document_pages` (the pages of `docs/`).
"""
