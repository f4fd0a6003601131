"""Detects changes in files that models and results refer to."""

import functools
import hashlib
import os
import stat
import time


def stamp(path):
    """A stamp that changes when the file is written; None if there is no file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@functools.lru_cache(maxsize=64)
def _kept_digest(path, stamp):
    found = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


def digest(path):
    """A hash of the contents; None if there is no file. Recently written files are read again, since file-system clocks
    are coarse."""
    found = stamp(path)
    if found is None:
        return None
    try:
        recent = time.time_ns() - found[1] < 1e9
        return (_kept_digest.__wrapped__ if recent else _kept_digest)(os.path.abspath(path), found)
    except OSError:
        return str(found)  # the library will report the problem
