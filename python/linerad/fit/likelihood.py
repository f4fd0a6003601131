"""The likelihood of observed values d, given a model m and its Monte Carlo error e: with v = s^2 + e^2,

    ln L = -1/(2 n_c) SUM [ (d - m)^2 / v + ln 2 pi v ].
"""

import numpy as np


def terms(observation, data, error):
    """(d - m, v) of the values that count."""
    used = observation.mask
    variance = observation.noise[used] ** 2
    if error is not None:
        variance = variance + error[used] ** 2
    return observation.data[used] - data[used], variance


def log_likelihood(observation, residuals, variance):
    return float(-0.5 * (residuals**2 / variance + np.log(2 * np.pi * variance)).sum() / observation.correlated)
