"""The texts people read, one TOML file a language."""
