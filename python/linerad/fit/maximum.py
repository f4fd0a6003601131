"""The maximum of the likelihood by the method of Levenberg and Marquardt.

With residuals r = d - m, weights w = 1 / (n_c variance) and slopes J = dm/dp from differences of models to both sides,

    (A + k diag A) dp = J' w r,    A = J' w J,

where k falls after a step that raised the likelihood and grows after one that did not. A^-1 is the covariance of the
parameters as far as the model is linear across it.
"""

import math

import numpy as np

from ..errors import InputError


def _slopes(fit, theta, steps, used):
    """dm/dp at theta, [value, parameter]. A step that the prior forbids is made to the other side alone."""
    columns = []
    for i, step in enumerate(steps):
        ends = []
        for sign in (1, -1):
            other = theta.copy()
            other[i] += sign * step
            ends.append(other if math.isfinite(fit.log_prior(other)) else theta)
        models = [fit._evaluate(end)[0][used] for end in ends]
        columns.append((models[0] - models[1]) / (ends[0][i] - ends[1][i]))
    return np.array(columns).T


def _residuals(fit, theta, used):
    """(r, w) and ln L."""
    observation = fit.observation
    data, error = fit._evaluate(theta)
    variance = observation.noise[used] ** 2 + (0 if error is None else error[used] ** 2)
    r, n = observation.data[used] - data[used], observation.correlated
    return r, 1 / (n * variance), -0.5 * (r**2 / variance + np.log(2 * np.pi * variance)).sum() / n


def find(fit, guess, step, tolerance, iterations):
    """(parameters, covariance)."""
    theta, used = fit._numbers(guess), fit.observation.mask
    if not math.isfinite(fit.log_prior(theta)):
        raise InputError("guess: the prior does not allow it")
    steps = step * fit.prior_widths
    damping = 1e-3
    r, w, likelihood = _residuals(fit, theta, used)
    for _ in range(iterations):
        slopes = _slopes(fit, theta, steps, used)
        curvature = slopes.T @ (w[:, None] * slopes)
        if not (np.diag(curvature) > 0).all():
            flat = [name for name, value in zip(fit.names, np.diag(curvature)) if not value > 0]
            raise InputError(f"{', '.join(flat)}: the model does not depend on it at this place")
        slope = slopes.T @ (w * r)
        while True:
            change = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope)
            small = change @ curvature @ change < tolerance**2
            tried = theta + change
            if math.isfinite(fit.log_prior(tried)):
                found = _residuals(fit, tried, used)
                if found[2] >= likelihood:
                    break
            damping *= 10
            if small or damping > 1e8:  # nothing better is near
                return theta, np.linalg.inv(curvature)
        theta, (r, w, likelihood), damping = tried, found, max(damping / 10, 1e-9)
        if small:
            break
    return theta, np.linalg.inv(curvature)
