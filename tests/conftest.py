"""What holds for all tests: none asks a model that a developer has configured."""

import os

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ROSTRUM_MODELS", "ROSTRUM_LOCAL_MODEL"):
    os.environ.pop(name, None)
