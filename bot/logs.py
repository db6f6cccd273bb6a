"""Logging: structlog in front of the standard library, to standard error."""

from __future__ import annotations

import logging
import sys

import structlog

from bot.settings import Settings


def set_up_logs(settings: Settings) -> None:
    """Send all logs to standard error, readable or as JSON lines."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_json
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info if settings.log_json else _keep,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    # Their information is not ours to show.
    for noisy in ("alembic", "aiosqlite", "asyncio", "openai", "httpx2", "httpcore2"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _keep(_: object, __: str, event: structlog.types.EventDict) -> structlog.types.EventDict:
    return event
