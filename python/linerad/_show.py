"""Short representations of values, for repr(): never more than a screen."""

import astropy.units as u
import numpy as np


def short(value, room=70):
    """One line: arrays by shape and unit, long texts and lists truncated."""
    if isinstance(value, np.ndarray) and value.ndim and value.size > 4:
        unit = f" {value.unit}" if isinstance(value, u.Quantity) and str(value.unit) else ""
        return f"array {value.shape}{unit}"
    if isinstance(value, u.Quantity):
        return str(value)
    if isinstance(value, dict):
        return _cut("{" + ", ".join(f"{key}: {short(item)}" for key, item in value.items()) + "}", room)
    if isinstance(value, (list, tuple)):
        items = [short(item) for item in value[:8]] + ["..."] * (len(value) > 8)
        return _cut("[" + ", ".join(items) + "]", room)
    return _cut(value if isinstance(value, str) else repr(value), room)


def _cut(text, room):
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 4] + " ..."


class Arrays(dict):
    """Arrays by name; shown by their shapes."""

    def __repr__(self):
        width = max((len(name) for name in self), default=0)
        shown = [f"{name:{width}s}  {short(value)}" for name, value in list(self.items())[:40]]
        return "\n".join(shown + (["..."] if len(self) > 40 else [])) or "{}"
