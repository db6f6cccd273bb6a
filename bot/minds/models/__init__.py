"""Minds that are language models, at any endpoint that speaks the OpenAI protocol. See docs/models.md."""
