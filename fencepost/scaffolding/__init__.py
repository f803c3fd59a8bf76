"""`fencepost new`: what a proposal, a requirement and a defect need in a checkout, so that an author begins with something that runs."""
