"""The maximum of the likelihood by the method of Levenberg and Marquardt.

With residuals r = d - m, weights w = 1 / (n_c variance) and derivatives J = dm/dp from central differences of models,

    (A + k diag A) dp = J' w r,    A = J' w J,

where k decreases after a step that raised the likelihood and increases after one that did not. A^-1 is the covariance
of the parameters, as far as the model is linear over it. The maximum is found when the step without damping, k = 0, is
short:
(dp' A dp)^1/2, its length in standard deviations, is below the tolerance.
"""

import math
import warnings

import numpy as np

from ..errors import InputError, LineradWarning
from .likelihood import log_likelihood, terms

_LARGEST_DAMPING = 1e8


def _slopes(fit, theta, steps, used):
    """dm/dp at theta, [value, parameter]. If the prior forbids a step, a one-sided difference is used."""
    columns = []
    for i, step in enumerate(steps):
        ends = []
        for sign in (1, -1):
            other = theta.copy()
            other[i] += sign * step
            ends.append(other if math.isfinite(fit.log_prior(other)) else theta)
        if ends[0][i] == ends[1][i]:
            raise InputError(f"step: the prior of {fit.names[i]} allows no step of {step:.3g} to either side")
        models = [fit._evaluate(end)[0][used] for end in ends]
        columns.append((models[0] - models[1]) / (ends[0][i] - ends[1][i]))
    return np.array(columns).T


def _residuals(fit, theta):
    """(r, w) and ln L."""
    observation = fit.observation
    r, variance = terms(observation, *fit._evaluate(theta))
    return r, 1 / (observation.correlated * variance), log_likelihood(observation, r, variance)


def _check(step, tolerance, iterations):
    for name, value in (("step", step), ("tolerance", tolerance)):
        if not (isinstance(value, (int, float, np.number)) and math.isfinite(value) and value > 0):
            raise InputError(f"{name}: expected a number above zero, found {value!r}")
    if isinstance(iterations, bool) or not isinstance(iterations, (int, np.integer)) or iterations < 1:
        raise InputError(f"iterations: expected a whole number, 1 or more, found {iterations!r}")


def _normal_equations(fit, theta, steps, used, r, w):
    """A, J' w r, and dp without damping."""
    slopes = _slopes(fit, theta, steps, used)
    curvature, slope = slopes.T @ (w[:, None] * slopes), slopes.T @ (w * r)
    if not (np.diag(curvature) > 0).all():
        flat = [name for name, value in zip(fit.names, np.diag(curvature)) if not value > 0]
        raise InputError(f"{', '.join(flat)}: the model does not depend on it here")
    try:
        return curvature, slope, np.linalg.solve(curvature, slope)
    except np.linalg.LinAlgError:
        raise InputError(f"{', '.join(fit.names)}: the model cannot distinguish them here") from None


def _climb(fit, theta, likelihood, curvature, slope, damping, most):
    """(parameters, residuals and ln L there, damping) of a step that does not lower the likelihood; None if there is
    none with a damping up to `most`."""
    while damping <= most:
        tried = theta + np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope)
        if math.isfinite(fit.log_prior(tried)):
            found = _residuals(fit, tried)
            if found[2] >= likelihood:
                return tried, found, damping
        damping *= 10
    return None


def _warn(fit, away, whole, why):
    """`whole` is where the step without damping leads."""
    beyond = "" if math.isfinite(fit.log_prior(whole)) else ", outside the prior"
    warnings.warn(
        f"maximum: {why}; by the last estimate it was {away:.2g} standard deviations away{beyond}. The returned "
        "value is not the maximum: try another guess, step or prior, or more iterations",
        LineradWarning,
        stacklevel=4,
    )


def _told_by_the_data(fit, covariance):
    """The covariance. If the line is not visible, no step helps: the likelihood is flat and the errors are
    unbounded."""
    wide = np.sqrt(np.diag(covariance)) > fit.prior_widths
    if wide.any():
        names = ", ".join(name for name, is_wide in zip(fit.names, wide) if is_wide)
        warnings.warn(
            f"maximum: at the returned parameters the data constrain {names} less than the prior does; if that is "
            "unexpected, the guess was too far from the maximum",
            LineradWarning,
            stacklevel=4,
        )
    return covariance


def find(fit, guess, step, tolerance, iterations):
    """(parameters, covariance). Warns if this is not the maximum."""
    _check(step, tolerance, iterations)
    theta, used = fit._numbers(guess), fit.observation.mask
    if not math.isfinite(fit.log_prior(theta)):
        raise InputError("guess: outside the prior")
    steps = step * fit.prior_widths
    damping = 1e-3
    r, w, likelihood = _residuals(fit, theta)
    for _ in range(iterations):
        curvature, slope, change = _normal_equations(fit, theta, steps, used, r, w)
        away, whole = math.sqrt(max(slope @ change, 0.0)), theta + change
        near = away < tolerance
        climbed = _climb(fit, theta, likelihood, curvature, slope, damping, damping if near else _LARGEST_DAMPING)
        gain = 0.0
        if climbed is not None:
            before = likelihood
            theta, (r, w, likelihood), damping = climbed
            gain, damping = likelihood - before, max(damping / 10, 1e-9)
        if near:
            return theta, _told_by_the_data(fit, np.linalg.inv(curvature))
        if gain < 1e-3 * tolerance**2:
            _warn(fit, away, whole, "no step raises the likelihood any further")
            return theta, np.linalg.inv(curvature)
    _warn(fit, away, whole, f"it was not found in {iterations} iteration{'s' if iterations > 1 else ''}")
    return theta, np.linalg.inv(curvature)
