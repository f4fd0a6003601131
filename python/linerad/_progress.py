"""The progress of a run where a person can see it: a line in a terminal, or in the output of a notebook cell. It appears
when a run takes longer than a second, and goes away at the end."""

import os
import sys
import time

_WAIT, _INTERVAL = 1.0, 0.25  # seconds before the first line, and between lines


def default():
    """A new line, or None if nobody would see it."""
    if _notebook():
        return Line(_Cell())
    return Line(_Terminal(sys.stderr)) if _is_terminal(sys.stderr) else None


def _is_terminal(stream):
    return stream is not None and hasattr(stream, "isatty") and stream.isatty()


def _notebook():
    """Whether this is a Jupyter kernel, which shows what is displayed."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class Line:
    """Called with (what, done, total, seconds); finish() removes the line."""

    def __init__(self, screen):
        self._screen, self._shown = screen, None
        self._start = self._recent = None

    def __call__(self, what, done, total, seconds):
        now = time.monotonic()
        if self._start is None or self._start[0] != what:
            self._start = self._recent = (what, done, now)
        if now - self._start[2] < _WAIT or (self._shown is not None and now - self._shown < _INTERVAL):
            return
        self._shown = now
        self._screen.show(self._text(what, done, total, now))

    def _text(self, what, done, total, now):
        passed = now - self._start[2]
        if not total:
            return f"{done} {what}, {duration(passed)}"
        mean, rate = (done - self._start[1]) / passed, self._rate(done, now)
        text = f"{100 * done / total:.1f} %  {done:,} of {total:,} {what}, {duration(passed)}"
        if rate > 0.5 * mean > 0:  # otherwise only long histories remain, and the mean promises too much
            text += f", about {duration((total - done) / mean)} left"
        return text

    def _rate(self, done, now):
        """Per second, of the last seconds."""
        what, before, then = self._recent
        rate = (done - before) / max(now - then, 1e-9)
        if now - then > 3:
            self._recent = (what, done, now)
        return rate

    def finish(self):
        if self._shown is not None:
            self._screen.clear()
            self._shown = None


def duration(seconds):
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


class _Terminal:
    def __init__(self, stream):
        self._stream = stream

    def show(self, text):
        self._stream.write(f"\r{text[: self._width() - 1]}\033[K")
        self._stream.flush()

    def _width(self):
        """In characters: what does not fit would go into the next line and stay there."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):  # not a real one
            return 80

    def clear(self):
        self._stream.write("\r\033[K")
        self._stream.flush()


class _Cell:
    def __init__(self):
        self._handle = None

    def show(self, text):
        from IPython.display import display

        if self._handle is None:
            self._handle = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": text}, raw=True)

    def clear(self):
        self._handle.update({"text/plain": ""}, raw=True)
        self._handle = None
