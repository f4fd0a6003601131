"""The light of earlier passes, kept for reuse, and the cubes made from it.

A pass follows packets and solves for populations (Model.run with image.emissivity). Everything after it, from pixels to
the
beam, is made from the result in memory (Result.image).
"""

import json
import warnings
from dataclasses import dataclass, field

import astropy.units as u
import numpy as np

from ..errors import InputError, LineradWarning
from . import rebin
from .resolved import value_of

KM = 1e5  # cm


@dataclass
class View:
    """How the light is viewed, derived from the tree of the model and the observation."""

    sections: dict  # cameras (one), channels and image of the model
    camera: int  # its index in the model
    side: float  # of a pixel, cm
    pixels: tuple
    offset: tuple  # cm
    roll: float  # rad
    systemic: float  # km/s
    settings: dict = field(default_factory=dict)  # the grid of the observation

    @classmethod
    def of(cls, tree, camera, observation, margin):
        systemic = value_of(tree, "image.velocity", "velocity", u.km / u.s) or 0.0
        distance = value_of(tree, "image.distance", "length", u.cm)
        place = [value_of(tree, f"image.position.{key}", "angle", u.deg) for key in ("ra", "dec")]
        position = None if None in place else [angle * u.deg for angle in place]
        side, pixels, offset = observation.grid(distance, position, margin)
        camera_tree = tree["cameras"][camera]
        roll = value_of(camera_tree, "roll", "angle", u.rad) or 0.0
        sections = {**{key: tree.get(key, {}) for key in ("channels", "image")}, "cameras": [camera_tree]}
        view = cls(sections, camera, side, pixels, offset, roll, systemic)
        view._write(observation)
        return view

    def _write(self, observation):
        beam, middle = "none", observation.centre
        if observation.beam:
            major, minor, angle = (repr(float(part.value)) for part in observation.beam)
            beam = {"major": f"{major} arcsec", "minor": f"{minor} arcsec", "angle": f"{angle} deg"}
        lengths = [f"{float(count * self.side)!r} cm" for count in self.pixels]
        self.settings = {
            "cameras.0.pixels": list(self.pixels),
            "cameras.0.field": lengths,
            "cameras.0.offset": [f"{float(part)!r} cm" for part in self.offset],
            "image.unit": observation.model_unit[0],
            "image.beam": beam,
            **{f"image.{key}": False for key in ("moments", "peak", "spectrum", "optical_depth", "column", "report")},
        }
        if middle is not None:
            place = (("ra", middle.ra), ("dec", middle.dec))
            self.settings["image.position"] = {key: f"{float(angle.deg)!r} deg" for key, angle in place}

    def texts(self, channels, errors):
        """All of it as settings, with these channels: (number, first edge, last edge) in km/s."""
        number, first, last = channels
        window = {"channels.number": number, "channels.range": [f"{float(v)!r} km/s" for v in (first, last)]}
        kept = {"image.emissivity": True, "image.errors": errors}
        return {**self.sections, **self.settings, **window, **kept}

    def place(self):
        """What determines the pixel positions."""
        return self.side, self.pixels, self.offset, self.roll


@dataclass
class Fine:
    """Channels in which packets are recorded, so that the systemic velocity may change: km/s."""

    first: float
    width: float
    n: int

    @classmethod
    def around(cls, observation, systemic, b):
        """Those of the observation for all of `systemic`, (lowest, highest), and b/4 wide at most."""
        wide = observation.channel_width.value
        split = int(np.clip(np.ceil(wide / (0.25 * b)), 1, 16))
        width = wide / split
        low, high = observation.channels(systemic[1])[0], observation.channels(systemic[0])[1]
        n = int(np.ceil((high - low) / width)) + 4
        return cls(0.5 * (low + high) - 0.5 * n * width, width, n)

    def holds(self, observation, systemic):
        low, high = observation.channels(systemic)
        return self.first <= low and high <= self.first + self.n * self.width

    def window(self):
        return self.n, self.first, self.first + self.n * self.width


class Light:
    """One pass. `physics` is what it was made from, `looks` how it was last viewed (resolved.split)."""

    def __init__(self, model, settings, physics, view, window, fine):
        self.physics, self.looks, self.fine, self._window = physics, {}, fine, window
        texts = view.texts(window, errors=True)
        model._loaded = None  # arrays and files may have changed since
        self._result = model.run(settings={**settings, **texts}, progress=False)
        self.reference_b = self._result.summary.reference_b.to_value(u.km / u.s)
        self._place = view.place()
        self._keep(texts, self._result.cube())
        self._pass = self._last

    def is_bound(self):
        """Whether light was recorded per camera and channel; light of gas alone can be viewed in others."""
        n, first, last = self._window
        third = (last - first) / n / 3
        moved = {"channels.number": n, "channels.range": [f"{float(v + third)!r} km/s" for v in (first, last)]}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LineradWarning)
                self._result._scene(moved)
        except InputError as refused:
            if "stored channels" not in str(refused):
                raise
            return True
        return False

    def _keep(self, texts, cube):
        data = np.asarray(cube.data.value, dtype=np.float64)
        error = None if cube.error is None else np.asarray(cube.error.value, dtype=np.float64)
        self.rest_frequency = cube.rest_frequency
        self._key, self._last = _key(texts), (data, error)

    def look(self, view, window):
        """True if rays were traced, false if this cube already exists."""
        if self.fine is not None:
            window = self.fine.window()
        if _key(view.texts(window, errors=True)) == self._key:
            return False
        with warnings.catch_warnings():  # about the model, as when the light was made
            warnings.simplefilter("ignore", LineradWarning)
            cube = self._result.image(view.texts(window, errors=False)).cube()
        self._keep(view.texts(window, errors=True), cube)
        self._last = self._last[0], self._error(view)
        return True

    def _error(self, view):
        """Errors come from the pass; in another view, a position keeps its relative error."""
        data, error = self._pass
        if error is None:
            return None
        if view.place() == self._place and self._last[0].shape == data.shape:
            where = (slice(None), slice(None))
        else:
            where = _places(view.place(), self._place)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(data != 0, error / np.abs(data), 0.0)
        return relative[(slice(None), *where)] * np.abs(self._last[0])

    def cube(self, observation, systemic, margin):
        """(data, error or None) on the grid of the observation, in its unit; after look()."""
        factor = observation.model_unit[1]
        inside = (slice(None),) + (slice(margin, -margin or None),) * 2
        data, error = (None if part is None else factor * part[inside] for part in self._last)
        if self.fine is not None:
            low, high = observation.channels(systemic)
            n = observation.shape[0]
            rows = rebin.matrix(low, (high - low) / n, n, self.fine.first, self.fine.width, self.fine.n)
            data = np.tensordot(rows, data, 1)
            error = None if error is None else np.sqrt(np.tensordot(rows**2, error**2, 1))
        return data, error


def _key(texts):
    """Systemic velocity and sky position are only axis labels: they change no value of a cube."""
    image = {key: value for key, value in texts.get("image", {}).items() if key not in ("velocity", "position")}
    return json.dumps({**texts, "image": image}, sort_keys=True)


def _places(view, other):
    """Indices (y, x) of the pixels of `other` that look where those of `view` do; those at the edge beyond it."""
    side, pixels, offset, roll = view
    x, y = (offset[i] + side * (np.arange(pixels[i]) - 0.5 * (pixels[i] - 1)) for i in (0, 1))
    x, y = np.meshgrid(x, y)
    side, pixels, offset, turned = other
    cos, sin = np.cos(roll - turned), np.sin(roll - turned)
    x, y = cos * x - sin * y, sin * x + cos * y
    found = [np.rint((at - offset[i]) / side + 0.5 * (pixels[i] - 1)).astype(int) for i, at in ((0, x), (1, y))]
    return tuple(np.clip(found[i], 0, pixels[i] - 1) for i in (1, 0))
