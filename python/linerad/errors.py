"""Exceptions. Messages are those of the C library: one line that says where and what to do."""

import os

import astropy.units as u


class Error(Exception):
    """Any linerad error."""


class InputError(Error, ValueError):
    """The model or an argument is wrong."""


class ArgumentError(InputError, TypeError):
    """An unknown argument, or one too many."""


class UnitsError(InputError, u.UnitsError):
    """A value of the wrong dimension, or without a unit."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


def not_written(path, what, failure):
    """The error about a file that cannot be written, from that of the system."""
    folder = os.path.dirname(os.path.abspath(path))
    why = failure.strerror or failure
    if not os.path.isdir(folder):
        why = f"there is no folder {folder}"
    elif isinstance(failure, PermissionError) and not os.access(folder, os.W_OK):
        why = f"no permission to write to the folder {folder}"
    return FileError(f"{path}: cannot write the {what}: {why}; give it another name or place (-o, on the command line)")


class OutOfMemory(Error, MemoryError):
    """The problem does not fit in memory."""


class DeviceError(Error, RuntimeError):
    """The requested device is missing or failed."""


class InternalError(Error, RuntimeError):
    """A bug in linerad."""


class LineradWarning(UserWarning):
    """Something that is probably not intended."""


class Interrupted(KeyboardInterrupt):
    """A run was stopped by Ctrl-C. `result` holds what was finished, or is None."""

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result
