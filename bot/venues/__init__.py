"""Where a match is seen and played: rendering and delivery."""
