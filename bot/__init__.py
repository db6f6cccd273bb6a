"""Rostrum: a bot that hosts debates between people and AIs."""
