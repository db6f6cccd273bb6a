"""Tests of speech: text as said, and the sound it becomes."""
