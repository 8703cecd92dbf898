"""What exists: bodies, their shapes, the domain."""
