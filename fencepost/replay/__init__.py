"""`fencepost replay`: a red as a script that needs nothing, as frames with a comment on each field, and as a picture.

`recorded_red` finds what a run kept, and `replaying` writes what is asked for.
"""
