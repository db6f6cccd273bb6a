"""A model in a file, run in this process by llama.cpp and asked like any other endpoint. Needs the extra `local`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bot.minds.models.budget import Price
from bot.minds.models.endpoints import LOCAL, EndpointsError, ModelSpec, family_of

_PATIENCE_S = 600.0
"""A model without a GPU takes its time, and one that is too slow for the slot is given up by its deadline anyway."""


def load_binding() -> Any:
    """The llama.cpp binding. Raises EndpointsError."""
    try:
        import xllamacpp  # pyright: ignore[reportMissingImports] # an extra
    except ImportError as error:
        raise EndpointsError(
            "ROSTRUM_LOCAL_MODEL needs the extra [local]: install it with pip install 'rostrum[local]', "
            f"or in this folder with .venv/bin/python -m pip install xllamacpp. ({error})"
        ) from None
    return xllamacpp


class LocalServer:
    """llama.cpp's own server in this process, at a free port of this machine alone, until the object is gone."""

    def __init__(self, path: Path, *, context: int = 4096, threads: int = 1) -> None:
        """Loads the model, which takes seconds. Raises EndpointsError."""
        path = path.expanduser()
        _check(path)
        binding = load_binding()
        params = binding.CommonParams()
        params.model.path = str(path)
        params.n_ctx = context
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.verbosity = 0
        try:
            self._server = binding.Server(params)
            address = str(self._server.listening_address)
        except Exception as error:
            raise EndpointsError(f"ROSTRUM_LOCAL_MODEL: llama.cpp cannot run {path}: {error}") from None
        self.spec = ModelSpec(
            name=LOCAL,
            id=path.stem,
            family=family_of(path.stem, LOCAL),
            endpoint=LOCAL,
            base_url=f"{address.rstrip('/')}/v1",
            key=None,
            price=Price(prompt=0.0, completion=0.0),
            structured="json_schema",
            lengths=True,
            timeout_s=_PATIENCE_S,
            most_parallel=1,
            endpoint_parallel=1,
        )

    def close(self) -> None:
        """Stops serving."""
        self._server = None


async def start_local(path: Path, *, context: int, threads: int) -> LocalServer:
    """`LocalServer` without holding up everything else. Raises EndpointsError."""
    return await asyncio.to_thread(LocalServer, path, context=context, threads=threads)


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise EndpointsError(f"ROSTRUM_LOCAL_MODEL: {path} cannot be read: {error.strerror}.") from None
    if magic != b"GGUF":
        raise EndpointsError(f"ROSTRUM_LOCAL_MODEL: {path} is not a GGUF file.")
