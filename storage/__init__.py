"""Tables and repositories (SQLAlchemy Core, async)."""
