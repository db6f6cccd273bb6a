"""Who fills AI seats and the bench of judges."""
