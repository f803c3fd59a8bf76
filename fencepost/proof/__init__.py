"""`fencepost prove`: which defects, mutants and conforming variants the suite finds."""
