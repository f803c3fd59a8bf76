"""Soak runs: many clients and faults for as long as a team likes, judged by the history checker while they go on."""
