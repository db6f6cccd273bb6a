"""Files put on disk whole or not at all."""

import errno
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.voice.speaker import SpeakerError

_REASONS: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than is allowed here",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.ENOTDIR: "that is not a folder",
    errno.ENAMETOOLONG: "the name is too long",
}
_writing = threading.Lock()


def write_together(contents: Mapping[Path, bytes], commit: Callable[[], None]) -> None:
    """Write every file or none: each under a temporary name, then `commit`, then renamed.

    `commit` may raise to call it off. A temporary name is the same every time, so that what a killed process left is
    overwritten when the clip is made again.
    """
    parts = {path: path.parent / f".{path.name}.part" for path in contents}
    touched = list(parts.values())
    with _writing:
        try:
            for path, part in parts.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                part.write_bytes(contents[path])
            commit()
            for path, part in parts.items():
                part.replace(path)
                touched.append(path)
        except BaseException as error:
            for path in touched:
                with suppress(OSError):
                    path.unlink()
            if isinstance(error, OSError):
                raise SpeakerError(_explanation(error, next(iter(contents)).parent)) from error
            raise


def _explanation(error: OSError, folder: Path) -> str:
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
    return f"the clip could not be written to {folder}: {reason}"
