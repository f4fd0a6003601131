"""The log-likelihood of a model for an observed cube, with a record of how it was computed.

With data d, noise s, the model m and its Monte Carlo error e, and n_c pixels counting as one,

    ln L = -1/(2 n_c) SUM [ (d - m)^2 / (s^2 + e^2) + ln 2 pi (s^2 + e^2) ].
"""

import difflib
import inspect
import math
import warnings
from collections import Counter

import astropy.constants as constants
import astropy.units as u
import numpy as np
from astropy.io import fits

from .._context import log
from ..errors import InputError, LineradWarning
from ..model import Model, _settings
from . import maximum
from . import prior as priors
from .likelihood import log_likelihood, terms
from .light import Fine, Light, View
from .observation import Observation
from .resolved import changes, resolve, split


class ModelCube:
    """A model as it would be observed. Made by :meth:`Fit.model_cube`.

    ``data`` and its Monte Carlo ``error`` (None without packets) are Quantities [channel, y, x] on the grid of the
    observation. ``how`` says how it was made.
    """

    def __init__(self, data, error, header, unit, how):
        self.data, self.error = data * unit, None if error is None else error * unit
        self.header, self.how = header, how

    def __repr__(self):
        return f"<linerad.fit.ModelCube: {' x '.join(map(str, self.data.shape))}, {self.data.unit}; {self.how}>"

    def to_fits(self):
        """An astropy HDU list with the cube; .writeto(path) writes it."""
        return fits.HDUList([fits.PrimaryHDU(self.data.value.astype(np.float32), self.header)])


class Fit:
    """A model, an observation and parameters with priors (docs/fit.md).

    The observation gives channels, pixels, field of view, beam and unit; the model keeps the direction of its camera,
    image.distance, image.velocity (systemic) and image.position, where the object is (default: the centre of the
    observed image). A new pass is made only if the physics differs from that of recent passes; ``last`` says what was
    done and why, ``counts`` how often.

    Parameters
    ----------
    model : function or Model
        A function that makes a Model from the parameters, passed by name; or a Model, with parameters that are its
        settings ('medium.temperature'). Required.
    observation : Observation
        The observed cube. Required.
    parameters : dict
        {name: prior}. A prior is Uniform, LogUniform, Normal, or two numbers; with a unit, the parameter arrives as a
        Quantity. Everywhere else parameters are arrays of plain numbers in the order of ``names``. Required.
    camera : str
        Which of several cameras. Default: the only one.
    settings : dict or list of str
        Apply to every model, such as {'run.threads': 1}. Default: none.
    margin : float
        Width of sky around the field from which the beam may bring in light, in beams. Default: 1.25.
    keep : int
        Number of passes to keep. Default: 2.
    """

    def __init__(self, model, observation, parameters, *, camera=None, settings=(), margin=1.25, keep=2):
        if not isinstance(model, Model) and not callable(model):
            raise InputError("model: expected a linerad.Model, or a function that returns one")
        if not isinstance(observation, Observation):
            raise InputError("observation: expected a linerad.fit.Observation")
        if not parameters:
            raise InputError("parameters: none to fit")
        if not keep >= 1 or not margin >= 0:
            raise InputError("keep must be at least 1, and margin must not be negative")
        self.observation = observation
        self.priors = {str(name): priors.read(name, entry) for name, entry in parameters.items()}
        self.names = list(self.priors)
        self.counts = Counter(passes=0, images=0, repeats=0)
        self.last = None
        self._model, self._camera, self._keep = model, camera, int(keep)
        self._settings = dict(settings) if isinstance(settings, dict) else dict(s.split("=", 1) for s in settings)
        beam = observation.beam
        self._margin = 0 if beam is None else math.ceil(margin * (beam[0] / observation.pixel).to_value(""))
        self._forget()
        self._check_names()

    def _check_names(self):
        """Parameters that the model does not have are an error now, not after hours."""
        if isinstance(self._model, Model):
            self._load([prior.ppf(0.5) for prior in self.priors.values()])
            return
        try:
            arguments = inspect.signature(self._model).parameters.values()
        except (TypeError, ValueError):  # a function of C
            return
        if any(argument.kind is argument.VAR_KEYWORD for argument in arguments):
            return
        named = [a.name for a in arguments if a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)]
        needed = [a.name for a in arguments if a.name in named and a.default is a.empty]
        unknown = next((name for name in self.names if name not in named), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, named, 1)
            said = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(named) or 'none'}"
            raise InputError(f"parameters: the model is a function without an argument '{unknown}'; {said}")
        missing = next((name for name in needed if name not in self.names), None)
        if missing is not None:
            raise InputError(f"parameters: the function of the model needs '{missing}', which is not among them")

    def _load(self, theta):
        """The model as for a pass, without making one."""
        model, settings, _, _, tree = self._trees(theta)
        view = self._view(tree, self._choose_camera(tree), self._margin)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LineradWarning)  # a pass gives them
            model._pointer(_settings({**settings, **view.texts(self._window(view), errors=True)}))
        model._loaded = None

    def _forget(self):
        self._lights = []  # the latest last
        self._bound = None  # whether light is recorded in channels (Light.is_bound): known after the first pass
        self._spread = self._b = None  # then: systemic velocities, lowest and highest; Doppler parameter

    def __getstate__(self):
        """Each process of a pool computes its own light."""
        copy = Fit.__new__(Fit)
        copy.__dict__.update(self.__dict__)
        copy._forget()
        return copy.__dict__

    def __repr__(self):
        return f"<linerad.fit.Fit: {', '.join(self.names)}; {self.last or 'nothing evaluated yet'}>"

    # ---- parameters ----

    @property
    def units(self):
        """Units of the parameters; None for plain numbers."""
        return [getattr(prior, "unit", None) for prior in self.priors.values()]

    def _numbers(self, theta):
        """An array from plain numbers, or from a dictionary of numbers and Quantities."""
        unknown = [str(name) for name in theta if name not in self.names] if isinstance(theta, dict) else []
        if unknown:
            raise InputError(f"theta: there is no parameter '{unknown[0]}'; there are {', '.join(self.names)}")
        try:
            theta = [theta[name] for name in self.names] if isinstance(theta, dict) else list(theta)
            pairs = zip(theta, self.units)
            found = np.array([x.to_value(unit) if isinstance(x, u.Quantity) else float(x) for x, unit in pairs])
        except (KeyError, TypeError, ValueError, u.UnitsError) as failure:
            raise InputError(f"theta: expected numbers for {', '.join(self.names)} ({failure})") from None
        if len(theta) != len(self.names):
            raise InputError(f"theta: expected {len(self.names)} numbers ({', '.join(self.names)}), found {len(theta)}")
        return found

    def _values(self, theta):
        """{name: number, or Quantity where the prior has a unit}."""
        rows = zip(self.names, self._numbers(theta), self.units)
        return {name: float(x) if unit is None else x * unit for name, x, unit in rows}

    def prior_transform(self, q):
        """Parameters from numbers between 0 and 1, for nested samplers.

        Parameters
        ----------
        q : array
            One number for each parameter. Required.
        """
        return np.array([prior.ppf(float(x)) for prior, x in zip(self.priors.values(), q)])

    @property
    def prior_widths(self):
        """Half the central 68 % interval of each prior."""
        return np.array([0.5 * (prior.ppf(0.84) - prior.ppf(0.16)) for prior in self.priors.values()])

    def maximum(self, guess, step=0.02, tolerance=0.05, iterations=30):
        """(parameters, covariance) where the likelihood is highest. Stops with a LineradWarning if it does not
        converge.

        Parameters
        ----------
        guess : array
            Where to start. Required.
        step : float
            Derivatives are differences over this many widths of the prior. Default: 0.02.
        tolerance : float
            Stops when the maximum is less than this many standard deviations away. Default: 0.05.
        iterations : int
            At most this many. Default: 30.
        """
        return maximum.find(self, guess, step, tolerance, iterations)

    def start(self, walkers, guess=None, covariance=None, seed=0):
        """Starting points for walkers, [walkers, parameters].

        Parameters
        ----------
        walkers : int
            How many. Required.
        guess : array
            Draw points about this one. Default: draw from the prior.
        covariance : array
            Of the draws about ``guess``. Default: a twentieth of the width of the prior.
        seed : int
            Of the random numbers. Default: 0.
        """
        draws = np.random.default_rng(seed)
        if guess is None:
            return np.array([self.prior_transform(q) for q in draws.random((walkers, len(self.names)))])
        guess = self._numbers(guess)
        spread = np.diag((0.05 * self.prior_widths) ** 2) if covariance is None else covariance
        found = []
        for row in draws.multivariate_normal(guess, spread, 100 * walkers):
            if len(found) < walkers and math.isfinite(self.log_prior(row)):
                found.append(row)
        if len(found) < walkers:
            raise InputError("guess: the prior excludes almost everything near it")
        return np.array(found)

    # ---- probabilities ----

    def log_prior(self, theta):
        """Logarithm of the prior density.

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        rows = zip(self.priors.values(), self._numbers(theta))
        return float(sum(prior.logpdf(x) if math.isfinite(x) else -math.inf for prior, x in rows))

    def chi_squared(self, theta):
        """SUM (d - m)^2 / variance over all pixels, which are not independent (Observation.independent).

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        residuals, variance = terms(self.observation, *self._evaluate(theta))
        return float((residuals**2 / variance).sum())

    def log_likelihood(self, theta):
        """Logarithm of the likelihood.

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        return log_likelihood(self.observation, *terms(self.observation, *self._evaluate(theta)))

    def log_probability(self, theta):
        """Prior times likelihood, for samplers; -inf where the prior is, without evaluating the model.

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        before = self.log_prior(theta)
        return before + self.log_likelihood(theta) if math.isfinite(before) else -math.inf

    # ---- models ----

    def model(self, theta):
        """The Model for these parameters, before the grid of the observation is applied.

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        model, settings = self._make(theta)
        return _with(model, settings) if settings else model

    def model_cube(self, theta):
        """The model as it would be observed without noise, as :class:`ModelCube`.

        Parameters
        ----------
        theta : array
            Values of the parameters, plain numbers in the order of ``names``. Required.
        """
        data, error = self._evaluate(theta)
        return ModelCube(data, error, self.observation.header, self.observation.unit, self.last)

    def needs(self):
        """{parameter: 'new pass' or 'same light'}: what changing it alone requires. Makes a pass if there was none."""
        middle = [prior.ppf(0.5) for prior in self.priors.values()]
        if self._bound is None:
            self._evaluate(middle)
        before = self._trees(middle)[2]
        found = {}
        for i, (name, prior) in enumerate(self.priors.items()):
            other = list(middle)
            other[i] = prior.ppf(0.6)
            found[name] = "new pass" if changes(before, self._trees(other)[2]) else "same light"
        return found

    def _make(self, theta):
        """(model, settings)."""
        values = self._values(theta)
        if isinstance(self._model, Model):
            return self._model, {**self._settings, **values}
        model = self._model(**values)
        if not isinstance(model, Model):
            raise InputError(f"model: the function gave {type(model).__name__}, not a linerad.Model")
        return model, self._settings

    def _trees(self, theta):
        """(model, settings, physics, what is looked at, tree)."""
        model, settings = self._make(theta)
        tree = resolve(model, settings)
        physics, looks = split(tree, model, self._bound)
        return model, settings, physics, looks, tree

    def _choose_camera(self, tree):
        names = [camera.get("name", f"camera{i + 1}") for i, camera in enumerate(tree.get("cameras", []))]
        if self._camera is None and len(names) == 1:
            return 0
        if not names:
            raise InputError("model: it has no camera; a direction is needed")
        if self._camera not in names:
            wanted = "give 'camera'," if self._camera is None else f"there is no camera '{self._camera}':"
            raise InputError(f"camera: {wanted} one of {', '.join(names)}")
        return names.index(self._camera)

    def _view(self, tree, camera, margin):
        found = tree["cameras"][camera]
        if "position" in found:
            name = found.get("name", f"camera{camera + 1}")
            raise InputError(
                f"cameras[{camera}].position: '{name}' is near the object; an observed cube needs a distant camera, "
                "so give the camera a direction, and the model image.distance"
            )
        return View.of(tree, camera, self.observation, margin)

    def _evaluate(self, theta):
        """(data, error) of the model; `last` and `counts` are up to date afterwards."""
        model, settings, physics, looks, tree = self._trees(theta)
        view = self._view(tree, self._choose_camera(tree), self._margin)
        light = self._find(physics, view)
        if light is None:
            light = self._pass(theta, model, settings, physics, view)
            looks = split(tree, model, self._bound)[1]
            self._check_line(light)
        else:
            seen = changes(light.looks, looks)
            traced = light.look(view, self._window(view))
            self.counts["images" if traced else "repeats"] += 1
            self._say(f"same light: {f'only {_listed(seen)} changed' if seen else 'nothing changed'}")
        light.looks = looks
        self._lights.remove(light)
        self._lights.append(light)
        return light.cube(self.observation, view.systemic, self._margin)

    def _window(self, view):
        return (self.observation.shape[0], *self.observation.channels(view.systemic))

    def _find(self, physics, view):
        for light in self._lights:
            held = light.fine is None or light.fine.holds(self.observation, view.systemic)
            if light.physics == physics and held and (not self._bound or light.fine or not self._spread):
                return light
        return None

    def _pass(self, theta, model, settings, physics, view):
        changed = min((changes(light.physics, physics) for light in self._lights), key=len, default=None)
        if changed is None:
            why = "the first one"
        else:
            why = f"{_listed(changed)} changed" if changed else "image.velocity lies beyond the recorded channels"
        fine = None
        if self._bound and self._spread:
            low, high = min(self._spread[0], view.systemic), max(self._spread[1], view.systemic)
            fine = Fine.around(self.observation, (low, high), self._b)
        light = Light(model, settings, physics, view, fine.window() if fine else self._window(view), fine)
        self.counts["passes"] += 1
        self._say(f"new pass: {why}")
        self._lights = (self._lights + [light])[-self._keep :]
        if self._bound is None:
            self._bound, self._b = light.is_bound(), light.reference_b
            if self._bound:
                return self._begin_with_channels(theta, model, settings, view)
        return light

    def _begin_with_channels(self, theta, model, settings, view):
        """Light is recorded in channels. If the systemic velocity is a parameter, these are made narrower and more
        numerous, to cover everything the prior allows; the first pass, which revealed this, is repeated."""
        draws = np.random.default_rng(0).random((64, len(self.names)))
        found = [self._view(self._trees(self.prior_transform(q))[4], view.camera, 0) for q in draws]
        found = [entry.systemic for entry in found] + [view.systemic]
        self._spread = (min(found), max(found)) if max(found) > min(found) else None
        physics = self._trees(theta)[2]
        self._lights[-1].physics = physics
        if self._spread is None:
            return self._lights[-1]
        self._lights = []
        light = self._pass(theta, model, settings, physics, view)
        self._say("new pass: the first one, made again in finer channels for other systemic velocities")
        return light

    def _check_line(self, light):
        rest = self.observation.rest_frequency
        if rest is None:
            return
        shift = ((light.rest_frequency - rest) / rest * constants.c).to(u.km / u.s)
        if abs(shift) > 0.1 * self.observation.channel_width:
            raise InputError(
                f"rest_frequency: that of the cube, {rest.to_value(u.GHz):.6f} GHz, is {abs(shift):.4g} from the "
                f"line of the model, {light.rest_frequency.to_value(u.GHz):.6f} GHz; give the observation "
                "'rest_frequency', or the model another line"
            )

    def _say(self, text):
        self.last = text
        log.info(text)


def _listed(paths):
    return ", ".join(paths[:4]) + (f" and {len(paths) - 4} more" if len(paths) > 4 else "")


def _with(model, settings):
    """A copy of a model with additional settings."""
    settings = model._settings + _settings(settings)
    if model._path:
        return Model.load(model._path, settings)
    copy = Model.__new__(Model)
    copy.__dict__.update(model.__dict__)
    copy._settings, copy._document, copy._loaded = settings, None, None
    return copy
