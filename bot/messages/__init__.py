"""What people read: pure functions from state to platform-neutral cards and replies."""
