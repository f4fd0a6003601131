"""A program may have set a locale in which decimals follow a comma; the C library, and those that it uses, would then read
and write numbers in that way. Its functions therefore run with a decimal point, in the thread that calls them."""

import locale

_FUNCTIONS = "void *newlocale(int, const char *, void *); void *uselocale(void *);"


class WithPoint:
    """The library, with functions that run in this way."""

    def __init__(self, ffi, lib):
        ffi.cdef(_FUNCTIONS)
        self._lib, self._system = lib, ffi.dlopen(None)
        numeric = 1 << locale.LC_NUMERIC  # LC_NUMERIC_MASK; what is not named is that of C as well, as in the command
        self._point = self._system.newlocale(numeric, b"C", ffi.NULL)

    def __getattr__(self, name):
        found = getattr(self._lib, name)
        if callable(found):
            found = self._function(found)
        setattr(self, name, found)  # next time without this
        return found

    def _function(self, function):
        change, point = self._system.uselocale, self._point

        def call(*arguments):
            before = change(point)
            try:
                return function(*arguments)
            finally:
                change(before)

        return call
