"""The ledger of play money: accounts, transfers between them, and the entries of each transfer."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.CheckConstraint("balance >= 0 OR kind = 'mint'", name="not_overdrawn"),
    )
    op.create_table(
        "transfers",
        sa.Column("position", serial, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("match_id", sa.String()),
        sa.Column("wall", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_transfers"),
        sa.UniqueConstraint("id", name="uq_transfers_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "entries",
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("transfer_id", "account_id", name="pk_entries"),
        sa.ForeignKeyConstraint(["transfer_id"], ["transfers.id"], name="fk_entries_transfer_id"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_entries_account_id"),
        sa.CheckConstraint("amount <> 0", name="something"),
    )
    op.create_index("ix_entries_account_id", "entries", ["account_id"])
