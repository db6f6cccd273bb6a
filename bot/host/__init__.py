"""Runs matches: one mailbox per match, deadlines, jobs, the outbox and recovery."""
