"""Ready-made scenes, shared by tests, benchmarks, examples and docs."""
