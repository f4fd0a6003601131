"""Unknown arguments raise an exception that names the function, the argument and the nearest valid one."""

import difflib
import functools
import inspect

from .errors import ArgumentError


def checked(name, skip=1, otherwise=None):
    """Decorator of a function that messages call `name`. Its first `skip` arguments, the object or class, are not the
    caller's. `otherwise` replaces the list of valid arguments if an unknown one is not close to any of them."""

    def decorate(function):
        signature = inspect.signature(function)
        valid = list(signature.parameters)[skip:]
        choices = f"valid here: {', '.join(valid) or 'none'}"

        @functools.wraps(function)
        def call(*arguments, **options):
            unknown = next((key for key in options if key not in valid), None)
            if unknown is not None:
                near = difflib.get_close_matches(unknown, valid, 1, 0.75)
                said = f"did you mean '{near[0]}'?" if near else otherwise or choices
                raise ArgumentError(f"{name}: unknown argument '{unknown}'; {said}")
            try:
                signature.bind(*arguments, **options)
            except TypeError as failure:
                raise ArgumentError(f"{name}: {failure}; {choices}") from None
            return function(*arguments, **options)

        return call

    return decorate
