"""What people type in the terminal."""
