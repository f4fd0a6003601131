"""Calls into the library: messages become log records and warnings, failures exceptions, Ctrl-C a clean stop."""

import logging
import re
import threading
import warnings

from . import errors
from ._library import ffi, lib, text

log = logging.getLogger("linerad")

# The units, HDF5 and FITS libraries keep global state: one thread at a time. Runs do not need them.
_files = threading.RLock()


def _without_option(message):
    """Here settings are not preceded by `--set`: the position is 'image.distance: ...'."""
    return re.sub(r"(^|: )--set (?=\S)", r"\1", message)


def _of_status(status, message):
    kinds = {
        lib.LR_ERROR_INPUT: errors.InputError,
        lib.LR_ERROR_IO: errors.FileError,
        lib.LR_ERROR_MEMORY: errors.OutOfMemory,
        lib.LR_ERROR_DEVICE: errors.DeviceError,
        lib.LR_ERROR_INTERRUPTED: errors.Interrupted,
    }
    return kinds.get(status, errors.InternalError)(message)


@ffi.callback("void(void *, enum lr_log_level, const char *)")
def _on_log(user, level, message):
    ffi.from_handle(user).hear(level, text(message))


@ffi.callback("void(void *, const char *, int64_t, int64_t, double)")
def _on_progress(user, what, done, total, seconds):
    ffi.from_handle(user).step(text(what), done, total, seconds)


_idle = []  # contexts for reuse: each holds a table of units


def _take():
    try:
        pointer = _idle.pop()
    except IndexError:
        pointer = lib.lr_context_create()
    if pointer == ffi.NULL:
        raise errors.OutOfMemory("out of memory")
    return pointer


class _Ears:
    """Callbacks of the library. They hold no reference to their context, so that a context is freed with its last
    user."""

    def __init__(self, pointer, progress):
        self.pointer, self.progress = pointer, progress
        self.failure, self.stopped, self.warnings = None, False, []

    def hear(self, level, message):
        if level == lib.LR_LOG_WARNING:
            self.warnings.append(message)
        else:
            log.info(message)

    def step(self, what, done, total, seconds):
        """An exception in the caller's function stops the run and is raised again once it has stopped."""
        if self.failure is None:
            try:
                self.progress(what, done, total, seconds)
            except BaseException as failure:
                self.failure = failure
                self.stop()

    def stop(self):
        self.stopped = True
        lib.lr_context_stop(self.pointer)


class Context:
    """One lr_context, for a few calls of one thread.

    `progress(what, done, total, seconds)` is called a few times per second during a run; `total` is 0 while it is
    unknown.
    """

    def __init__(self, progress=None):
        self._pointer = _take()
        self._ears = _Ears(self._pointer, progress)
        self.say = str  # how a message is edited before it is shown
        self._handle = ffi.new_handle(self._ears)
        lib.lr_context_on_log(self._pointer, _on_log, self._handle)
        lib.lr_context_on_progress(self._pointer, _on_progress if progress else ffi.NULL, self._handle)

    def __del__(self):
        # a stop that came too late would affect the next run
        if self._ears.stopped or len(_idle) >= 8:
            lib.lr_context_free(self._pointer)
        else:
            _idle.append(self._pointer)

    def finish(self):
        """No more progress."""
        if hasattr(self._ears.progress, "finish"):
            self._ears.progress.finish()

    def warn(self, depth):
        """Warnings are issued in the caller's thread, where filters and line numbers are meaningful."""
        waiting, self._ears.warnings = self._ears.warnings, []
        for message in waiting:
            warnings.warn(_without_option(self.say(message)), errors.LineradWarning, stacklevel=depth + 1)

    def _finish(self, status, depth):
        if status != lib.LR_OK:
            raise _of_status(status, _without_option(self.say(text(lib.lr_last_error(self._pointer)))))
        self.warn(depth)

    def call(self, function, *arguments, depth=3):
        """function(context, *arguments), for short calls. `depth` is the stack depth of the user's code."""
        with _files:
            status = function(self._pointer, *arguments)
        self._finish(status, depth + 1)

    def run(self, function, *arguments, depth=3):
        """The same for long calculations, in a separate thread so that Ctrl-C works; true if that stopped it."""
        status, done = [], threading.Event()

        def work():
            try:
                status.append(function(self._pointer, *arguments))
            finally:
                done.set()

        thread = threading.Thread(target=work, name="linerad", daemon=True)
        thread.start()
        stopped = False
        try:
            done.wait()
        except KeyboardInterrupt:
            stopped = True
            self._ears.stop()
            log.info("finishing the packets in flight; press Ctrl-C again to quit at once")
            done.wait()
        thread.join()
        if self._ears.failure is not None:
            raise self._ears.failure
        self._finish(status[0], depth + 1)
        return stopped
