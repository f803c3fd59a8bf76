"""`fencepost findings`: what a run found wrong with a broker, as a page that its makers can act on.

`found.py` has what stands on the page, `checked.py` what people say of it, `reproduction.py` what was asked and answered, `page.py` the
Markdown, `command.py` the files.
"""
