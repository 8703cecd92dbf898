"""The contact problem and its laws."""
