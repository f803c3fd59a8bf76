"""`fencepost doctor`: what a system offers, before it is judged."""
