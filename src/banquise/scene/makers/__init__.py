"""Makers: floes from files, laws and pictures."""
