"""Pure numbers: complementarity problems and their solutions. Knows no ice."""
