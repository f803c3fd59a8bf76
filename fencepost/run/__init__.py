"""One run of the suite: what is selected, how its scenarios are played, and which verdict each gets."""
