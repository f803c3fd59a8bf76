"""What every transactional log promises: asked of each system, in words of no product."""
