"""The rules of a debate, by example and by exploration. README.md says what is where."""
