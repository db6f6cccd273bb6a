"""The tables. A column's key is the field of the row type (`bot.host.ports`) that it holds; so rows and tables match.

Wall times are milliseconds since 1970. What a table is for stands above it; `storage/migrations` must end at the same
schema (a test compares them on both databases).
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
    text,
)

from storage.types import CleanText, JsonText

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

Serial = BigInteger().with_variant(Integer, "sqlite")
"""A number the database counts up. SQLite does that only for what it calls INTEGER, which has 64 bits all the same."""

LIVE = text("status NOT IN ('finished', 'cancelled')")
"""Literal and shared, because a partial index is only used by a query that says the same."""

# A Discord server, a Slack workspace, a terminal: what leaderboards, wallets and settings belong to. Other tables name
# one by id without a foreign key: a log outlives the community it was written in.
communities = Table(
    "communities",
    metadata,
    Column("id", String, primary_key=True),
    Column("venue", String, nullable=False),
    Column("platform_id", String, nullable=False),
    Column("name", CleanText, nullable=False),
    Column("settings", JsonText, nullable=False, server_default="{}"),
    UniqueConstraint("venue", "platform_id"),
)

# The only place that says who a person is. Everything else holds the opaque id, so erasing somebody is emptying
# `platform_id` and `name` here; if they come back they are a new person.
people = Table(
    "people",
    metadata,
    Column("id", String, primary_key=True),
    Column("community", String, nullable=False),
    Column("platform_id", String),
    Column("name", CleanText),
    UniqueConstraint("community", "platform_id"),
)

# The index of matches, committed together with their events: enough to find a match and to know when to wake it.
# Everything else about it is in its events.
matches = Table(
    "matches",
    metadata,
    Column("id", String, primary_key=True),
    Column("community", String, nullable=False),
    Column("status", String, nullable=False),
    Column("format", String, nullable=False),
    Column("host", String, nullable=False),
    Column("thread", String),
    Column("seq", Integer, nullable=False),
    Column("wake_at", BigInteger),
    Column("opened_wall", BigInteger, nullable=False),
    Index(None, "wake_at"),
    Index(None, "opened_wall"),
    Index(None, "community", "opened_wall"),
    Index("ix_matches_live", "opened_wall", "id", sqlite_where=LIVE, postgresql_where=LIVE),
)


def _match() -> Column[str]:
    return Column("match_id", String, ForeignKey(matches.c.id), key="match", nullable=False)


# The log: the truth about every match. Append-only, but for erasure and clips that come late. (match_id, seq) being
# unique is what keeps two processes from both writing a match. `position` orders the whole log for followers, which
# keep a cursor in it; it may have gaps. Several processes writing to one PostgreSQL make positions visible out of
# order: a follower there must stay behind the oldest open transaction, or it skips events.
events = Table(
    "events",
    metadata,
    Column("position", Serial, primary_key=True),
    _match(),
    Column("seq", Integer, nullable=False),
    Column("name", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("payload", JsonText, nullable=False),
    Column("wall", BigInteger, nullable=False),
    UniqueConstraint("match", "seq"),
    sqlite_autoincrement=True,  # a position is never given twice, even if the last row goes
    implicit_returning=False,  # nobody asks for the position when writing
)

# The outbox: public messages of a match, sent strictly in the order of `n`.
posts = Table(
    "posts",
    metadata,
    _match(),
    Column("n", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", JsonText, nullable=False),
    Column("gate", String),
    Column("mark", String),
    Column("state", String, nullable=False),
    Column("platform_id", String),
    Column("sent_wall", BigInteger),
    Column("delivered_wall", BigInteger),
    PrimaryKeyConstraint("match", "n"),
)

# Messages that are edited to stay up to date; only the latest version of each is kept.
boards = Table(
    "boards",
    metadata,
    _match(),
    Column("key", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", JsonText, nullable=False),
    Column("shown", Integer, nullable=False),
    Column("platform_id", String),
    PrimaryKeyConstraint("match", "key"),
)

# Slow work to be done and paid for once. The result is stored here before it becomes a command.
jobs = Table(
    "jobs",
    metadata,
    _match(),
    Column("key", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("state", String, nullable=False),
    Column("result", JsonText),
    Column("attempts", Integer, nullable=False),
    PrimaryKeyConstraint("match", "key"),
)

# Answers given to platform deliveries (interaction and event ids), so that a repeated delivery finds its first answer.
receipts = Table(
    "receipts",
    metadata,
    Column("community", String, nullable=False),
    Column("key", String, nullable=False),
    Column("answer", JsonText, nullable=False),
    Column("wall", BigInteger, nullable=False),
    PrimaryKeyConstraint("community", "key"),
)

# Lives of processes that held the matches, or one match. Between the last beat of one and the start of the next the
# match clocks stood still.
runs = Table(
    "runs",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("started_wall", BigInteger, nullable=False),
    Column("last_wall", BigInteger, nullable=False),
    Column("holds", String),
    sqlite_autoincrement=True,
)

# How far each follower (ratings, statistics, clips) has read the log.
cursors = Table(
    "cursors",
    metadata,
    Column("name", String, primary_key=True),
    Column("position", BigInteger, nullable=False),
)

# What models have cost: one row a day (UTC), community and match, added to with every call. A call is paid for even if
# nothing came of it, so this cannot be had from the log. Billionths of a dollar, because those add up exactly.
spend = Table(
    "spend",
    metadata,
    Column("day", String, nullable=False),
    Column("community", String, nullable=False),
    Column("match_id", String, key="match", nullable=False),
    Column("calls", Integer, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("nano_usd", BigInteger, nullable=False),
    Column("unpriced", Integer, nullable=False),
    PrimaryKeyConstraint("day", "community", "match"),
    Index(None, "match"),
)

# Play money. An account is named by what it is and whose: "wallet:per_...", "escrow:<match>", "house:com_...",
# "mint:com_...". Its balance is the sum of its entries, kept beside them so that a stake can be taken by one
# conditional update. Only the mint, where coins come from, goes below zero.
accounts = Table(
    "accounts",
    metadata,
    Column("id", String, primary_key=True),
    Column("community", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("balance", BigInteger, nullable=False),
    CheckConstraint("balance >= 0 OR kind = 'mint'", name="not_overdrawn"),
)

# A transfer is done once, as its id says: a match has one settlement, a person one allowance a day. Without a foreign
# key to the match: money outlives it.
transfers = Table(
    "transfers",
    metadata,
    Column("position", Serial, primary_key=True),
    Column("id", String, nullable=False),
    Column("community", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("match_id", String, key="match"),
    Column("wall", BigInteger, nullable=False),
    UniqueConstraint("id"),
    sqlite_autoincrement=True,
)

# What each account gained or gave in a transfer; together nothing. Never changed.
entries = Table(
    "entries",
    metadata,
    Column("transfer_id", String, ForeignKey(transfers.c.id), key="transfer", nullable=False),
    Column("account_id", String, ForeignKey(accounts.c.id), key="account", nullable=False),
    Column("amount", BigInteger, nullable=False),
    PrimaryKeyConstraint("transfer", "account"),
    Index(None, "account"),
    CheckConstraint("amount <> 0", name="something"),
)
