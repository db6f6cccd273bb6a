"""Database migrations (alembic). After a change of `storage.tables`, `python -m storage.revise` drafts the next one."""
