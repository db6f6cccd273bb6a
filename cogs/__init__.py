"""What people call: each cog turns a platform's input into an action and its reply back."""
