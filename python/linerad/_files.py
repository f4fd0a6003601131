"""Whether files that models and results name are still what they were."""

import functools
import hashlib
import os
import stat
import time


def stamp(path):
    """What changes when somebody writes the file; None where there is no file."""
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
    """Of what is in a file; None where there is none. Files that were written just now are read again, since the clocks
    of file systems tick slowly."""
    found = stamp(path)
    if found is None:
        return None
    try:
        recent = time.time_ns() - found[1] < 1e9
        return (_kept_digest.__wrapped__ if recent else _kept_digest)(os.path.abspath(path), found)
    except OSError:
        return str(found)  # the library will say what is wrong with it
