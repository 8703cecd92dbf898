"""See it: the web player, plots, movies, reports, and how objects show themselves in a notebook."""
