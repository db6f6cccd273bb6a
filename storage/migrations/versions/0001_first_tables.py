"""The first tables: communities and people, matches and their log, outbox, boards, jobs, receipts, runs,
cursors and what models cost."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "communities",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("venue", sa.String(), nullable=False),
        sa.Column("platform_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False, server_default="{}"),
        sa.PrimaryKeyConstraint("id", name="pk_communities"),
        sa.UniqueConstraint("venue", "platform_id", name="uq_communities_venue_platform_id"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("platform_id", sa.String()),
        sa.Column("name", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        sa.UniqueConstraint("community", "platform_id", name="uq_people_community_platform_id"),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("thread", sa.String()),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("wake_at", sa.BigInteger()),
        sa.Column("opened_wall", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
    )
    live = sa.text("status NOT IN ('finished', 'cancelled')")
    op.create_index("ix_matches_wake_at", "matches", ["wake_at"])
    op.create_index("ix_matches_opened_wall", "matches", ["opened_wall"])
    op.create_index("ix_matches_community_opened_wall", "matches", ["community", "opened_wall"])
    op.create_index("ix_matches_live", "matches", ["opened_wall", "id"], sqlite_where=live, postgresql_where=live)
    op.create_table(
        "events",
        sa.Column("position", serial, nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("wall", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_events"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_events_match_id"),
        sa.UniqueConstraint("match_id", "seq", name="uq_events_match_id_seq"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "posts",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("gate", sa.String()),
        sa.Column("mark", sa.String()),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("platform_id", sa.String()),
        sa.Column("sent_wall", sa.BigInteger()),
        sa.Column("delivered_wall", sa.BigInteger()),
        sa.PrimaryKeyConstraint("match_id", "n", name="pk_posts"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_posts_match_id"),
    )
    op.create_table(
        "boards",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("platform_id", sa.String()),
        sa.PrimaryKeyConstraint("match_id", "key", name="pk_boards"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_boards_match_id"),
    )
    op.create_table(
        "jobs",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "key", name="pk_jobs"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_jobs_match_id"),
    )
    op.create_table(
        "receipts",
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("wall", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("community", "key", name="pk_receipts"),
    )
    op.create_table(
        "runs",
        sa.Column("id", serial, nullable=False),
        sa.Column("started_wall", sa.BigInteger(), nullable=False),
        sa.Column("last_wall", sa.BigInteger(), nullable=False),
        sa.Column("holds", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_cursors"),
    )
    op.create_table(
        "spend",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("community", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("unpriced", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "community", "match_id", name="pk_spend"),
    )
    op.create_index("ix_spend_match_id", "spend", ["match_id"])
