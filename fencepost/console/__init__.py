"""What a run shows: progress while it goes on, reds as they come, and the summary at its end."""
