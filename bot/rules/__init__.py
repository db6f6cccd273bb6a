"""What a debate is: pure decisions over immutable values, with no I/O and no clock."""
