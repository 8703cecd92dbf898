"""How time goes."""
