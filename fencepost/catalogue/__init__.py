"""What there is: requirements, sentences and names, and the places that stand for each requirement."""
