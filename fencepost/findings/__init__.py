"""`fencepost findings`: what a run found wrong with a broker, as a page that its makers can act on.

`page_content.py` has what stands on the page, `manual_checks.py` what people found by hand, `reproduction.py` what was asked and
answered, `findings_page.py` the Markdown, `findings_files.py` the files.
"""
