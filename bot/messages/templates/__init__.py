"""Templates of whole documents."""
