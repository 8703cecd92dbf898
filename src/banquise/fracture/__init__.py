"""From a percussion to the crack it pays to open."""
