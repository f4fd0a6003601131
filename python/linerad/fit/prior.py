"""Priors. Parameters are plain numbers in the unit of their prior."""

import math
from statistics import NormalDist

import astropy.units as u
import numpy as np

from ..errors import InputError, UnitsError


def _plain(name, *values):
    """The numbers, in the unit of the first, and that unit (None without)."""
    unit = getattr(values[0], "unit", None)
    try:
        numbers = [value.to_value(unit) if unit is not None else float(value) for value in values]
    except (AttributeError, TypeError, u.UnitsError):
        raise UnitsError(f"{name}: {' and '.join(map(str, values))} are not numbers of one unit") from None
    if not all(np.ndim(number) == 0 and math.isfinite(number) for number in numbers):
        raise InputError(f"{name}: {' and '.join(map(str, values))} are not two finite numbers")
    return [float(number) for number in numbers], unit


class Uniform:
    """A prior: uniform density between two values.

    Parameters
    ----------
    low : number or Quantity
        Smallest value. Required.
    high : number or Quantity
        Largest value. Required.
    """

    def __init__(self, low, high):
        (self.low, self.high), self.unit = _plain("Uniform", low, high)
        if not self.low < self.high:
            raise InputError(f"{type(self).__name__}: {low} is not below {high}")

    def logpdf(self, x):
        """Logarithm of the density.

        Parameters
        ----------
        x : float
            Value of the parameter. Required.
        """
        return -math.log(self.high - self.low) if self.low <= x <= self.high else -math.inf

    def ppf(self, q):
        """The value below which the parameter lies with a given probability.

        Parameters
        ----------
        q : float
            Probability, 0 to 1. Required.
        """
        return self.low + q * (self.high - self.low)


class LogUniform(Uniform):
    """A prior: uniform density in the logarithm between two values, 1 / (x ln(high / low)).

    Parameters
    ----------
    low : number or Quantity
        Smallest value. Required.
    high : number or Quantity
        Largest value. Required.
    """

    def __init__(self, low, high):
        super().__init__(low, high)
        if not self.low > 0:
            raise InputError(f"LogUniform: {low} is not above zero")

    def logpdf(self, x):
        """Logarithm of the density.

        Parameters
        ----------
        x : float
            Value of the parameter. Required.
        """
        return -math.log(x * math.log(self.high / self.low)) if self.low <= x <= self.high else -math.inf

    def ppf(self, q):
        """The value below which the parameter lies with a given probability.

        Parameters
        ----------
        q : float
            Probability, 0 to 1. Required.
        """
        return self.low * (self.high / self.low) ** q


class Normal:
    """A prior: a Gaussian.

    Parameters
    ----------
    mean : number or Quantity
        Its mean. Required.
    sigma : number or Quantity
        Its standard deviation. Required.
    """

    def __init__(self, mean, sigma):
        (self.mean, self.sigma), self.unit = _plain("Normal", mean, sigma)
        if not self.sigma > 0:
            raise InputError(f"Normal: the standard deviation {sigma} is not above zero")

    def logpdf(self, x):
        """Logarithm of the density.

        Parameters
        ----------
        x : float
            Value of the parameter. Required.
        """
        return -0.5 * ((x - self.mean) / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2 * math.pi))

    def ppf(self, q):
        """The value below which the parameter lies with a given probability.

        Parameters
        ----------
        q : float
            Probability, 0 to 1. Required.
        """
        return NormalDist(self.mean, self.sigma).inv_cdf(min(max(q, 1e-300), 1 - 1e-16))


def read(name, prior):
    """A prior from itself, from two numbers (uniform between them), or from an object with logpdf and ppf
    (scipy.stats)."""
    if hasattr(prior, "logpdf") and hasattr(prior, "ppf"):
        return prior
    if isinstance(prior, (tuple, list, u.Quantity, np.ndarray)) and np.size(prior) == 2:
        return Uniform(prior[0], prior[1])
    raise InputError(
        f"{name}: a prior must be Uniform, LogUniform, Normal, two numbers such as (5, 40) * u.K, or an object with logpdf and ppf"
    )
