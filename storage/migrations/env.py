"""What alembic runs. `storage.migrate` hands over a connection with a transaction begun, and commits it afterwards."""

from alembic import context

from storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by making a new one
)
with context.begin_transaction():
    context.run_migrations()
