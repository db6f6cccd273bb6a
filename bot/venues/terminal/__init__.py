"""The terminal as a venue."""
