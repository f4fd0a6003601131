"""Expected values that linerad did not compute.

MONTE CARLO. SLAB, CUBE_*, DUSTY_* and SPHERE come from independent exact Monte Carlo in double precision, by programs
that share no code with linerad; a quarter of a million to ten million photons each. exact_escape.c in this folder gave
SPHERE and EXPANDING_SHELL; it also reproduces the rows of SLAB. The physics: coherent scattering in the frame of a
thermal atom, isotropic phase function, no recoil. Every value has the standard error of that calculation. SKIPPED and
SKIPPED_SPHERE are from exact_escape.c with core skipping.

Units: x in Doppler widths; scatterings per line-centre depth from the centre to the face; path in half-sizes.

CLOSED FORMS. Solutions of the diffusion approximation, exact in the limit a tau -> infinity.
"""

import numpy as np

from harness import Measured


def _escape(median, lower, upper, scatterings, path, quartile_error):
    """One row. The errors of the quartiles follow from that of the median: sqrt(p (1-p)) / density(x_p)."""
    return {
        "median_abs_x": median,
        "lower_quartile_abs_x": Measured(lower, median.error * quartile_error[0]),
        "upper_quartile_abs_x": Measured(upper, median.error * quartile_error[1]),
        "scatterings_per_depth": scatterings,
        "mean_path": path,
    }


# Slab of mean depth tau_mean (key; sqrt(pi) times the line-centre depth) from midplane to face, a = 0.149, isotropic
# source of x = 0 in the midplane.
SLAB_DAMPING = 0.149
_slab = lambda *row: _escape(*row, quartile_error=(1.1, 1.4))
SLAB = {
    200: _slab(Measured(3.0765, 0.0007), 2.3853, 3.8973, Measured(2.4021, 0.0011), Measured(9.676, 0.004)),
    500: _slab(Measured(3.9469, 0.0009), 3.0349, 4.9998, Measured(2.1494, 0.0010), Measured(10.760, 0.004)),
    2000: _slab(Measured(5.9662, 0.0014), 4.4981, 7.5339, Measured(1.8996, 0.0009), Measured(13.772, 0.005)),
    8000: _slab(Measured(9.2969, 0.0022), 6.9800, 11.6571, Measured(1.7726, 0.0008), Measured(19.280, 0.007)),
    32000: _slab(Measured(14.663, 0.007), 11.058, 18.259, Measured(1.7057, 0.0015), Measured(28.446, 0.021)),
}

# Cube of line-centre depth 500 from the centre to a face (1000 across), a = 4.73e-3, isotropic source filling it, with
# a Gaussian line of the given dispersion, in units of b.
CUBE_DEPTH = 500
_cube = lambda *row: _escape(*row, quartile_error=(1.8, 1.2))
CUBE_THERMAL = _cube(Measured(2.2196, 0.0002), 1.7385, 2.5625, Measured(1.5463, 0.0006), Measured(4.504, 0.002))
CUBE_WIDE = _cube(Measured(2.2278, 0.0002), 1.7527, 2.5703, Measured(1.5231, 0.0006), Measured(4.459, 0.002))
CUBE_PEAK = 2.36  # of |x|, the same for both, from bins of CUBE_PEAK_BIN
CUBE_PEAK_BIN = 0.09
# The same, dispersion b, periodic in y and z: a slab with a source that fills it.
CUBE_PERIODIC = {
    "median_abs_x": Measured(2.4758, 0.0003),
    "scatterings_per_depth": Measured(3.505, 0.002),
    "mean_path": Measured(11.404, 0.006),
}

# Slab with grey absorption, a = 0.015, line-centre depth 1e5 from midplane to face, source of x = 0 in the midplane.
# Fraction that escapes against X = (a tau_centre)^(1/3) tau_absorption.
DUSTY_DAMPING = 0.015
DUSTY_DEPTH = 1e5
DUSTY_ESCAPE = {
    0.02405: Measured(0.95116, 0.00005),
    0.24075: Measured(0.6366, 0.0003),
    1.20623: Measured(0.1846, 0.0003),
    2.405: Measured(0.0655, 0.0002),
    2.57402: Measured(0.0579, 0.0002),
    5.143: Measured(0.01264, 0.00006),
    12.05: Measured(0.000846, 0.000009),
}
# Points of Verhamme, Schaerer & Maselli (2006, A&A 460, 397) at the same X, given without errors.
DUSTY_VERHAMME = {0.02405: 0.938, 0.24075: 0.632, 1.20623: 0.182, 2.405: 0.068, 2.57402: 0.050, 5.143: 0.0119,
                  12.05: 0.0007}


def dusty_limit(x):
    """Escape in the limit a tau -> infinity (Neufeld 1990): 1 / cosh(2.0476 sqrt(X))."""
    return 1 / np.cosh(np.sqrt(3) / (0.525 * np.pi ** (5 / 12)) * np.sqrt(x))


DUST_FREE = {
    "median_abs_x": Measured(12.116, 0.009),
    "scatterings_per_depth": Measured(1.749, 0.002),
    "mean_path": Measured(24.15, 0.03),
}


def slab_quantile(fraction, a_tau_mean):
    """|x| below which a fraction of the photons leaves a slab with a line-centre source in its midplane.

    Neufeld (1990, ApJ 350, 216, eq. 2.24): J ~ x^2 / cosh(sqrt(pi^4/54) |x|^3 / (a tau_mean)); |x|^3 is distributed
    as 1/cosh, whose integral is the Gudermannian.
    """
    return np.cbrt(a_tau_mean * np.arcsinh(np.tan(0.5 * np.pi * fraction)) / np.sqrt(np.pi**4 / 54))


def slab_cumulative(x, a_tau_mean):
    """Fraction of the photons with |x| below x; the inverse of slab_quantile."""
    return 2 / np.pi * np.arctan(np.sinh(np.sqrt(np.pi**4 / 54) * np.abs(x) ** 3 / a_tau_mean))


def sphere_quantile(fraction, a_tau_centre):
    """The same for a sphere with a source at its centre and line-centre depth from there to the surface.

    Dijkstra, Haiman & Spaans (2006, ApJ 649, 14): J ~ x^2 / (1 + cosh(sqrt(2 pi^3/27) |x|^3 / (a tau_centre))).
    """
    return np.cbrt(a_tau_centre * 2 * np.arctanh(fraction) / np.sqrt(2 * np.pi**3 / 27))


def sphere_cumulative(x, a_tau_centre):
    return np.tanh(0.5 * np.sqrt(2 * np.pi**3 / 27) * np.abs(x) ** 3 / a_tau_centre)


# Thick limits of the sphere with a central source: scatterings / tau_centre and path / (radius (a tau_centre)^(1/3)).
SPHERE_SCATTERINGS = 0.9579
SPHERE_PATH = 0.9006

# Sphere of line-centre depth tau_centre (key) from centre to surface, a = 0.149, source of x = 0 at the centre; path in
# radii.
_sphere = lambda *row: _escape(*row, quartile_error=(1.1, 1.2))
SPHERE = {
    1000: _sphere(Measured(4.9358, 0.0033), 3.8227, 6.0962, Measured(1.0959, 0.0015), Measured(6.296, 0.006)),
    4000: _sphere(Measured(7.628, 0.007), 5.821, 9.408, Measured(1.0234, 0.0017), Measured(8.809, 0.011)),
}

# Hollow shell from 0.9 to 1 radii that expands at 5 b, with a column of 1e19 or 1e20 cm^-2 (key) of hydrogen with b =
# 40 km/s: a = 1.5152e-4, line-centre depth 1.8945e5 or ten times that across the shell. At its centre a source with a
# Gaussian spectrum, sigma = 2.5 b. Quartiles of the velocity / b of escaping photons (positive = red); scatterings per
# depth; path in radii. From 40000 and 3600 photons.
EXPANDING_SHELL = {
    1e19: {"lower_quartile": Measured(1.026, 0.016), "median": Measured(2.900, 0.022),
           "upper_quartile": Measured(5.914, 0.038),
           "scatterings_per_depth": Measured(0.2224, 0.0040), "mean_path": Measured(1.7409, 0.0050)},
    1e20: {"lower_quartile": Measured(5.478, 0.138), "median": Measured(9.799, 0.137),
           "upper_quartile": Measured(14.242, 0.230),
           "scatterings_per_depth": Measured(0.329, 0.0114), "mean_path": Measured(3.185, 0.027)},
}

# The slab of DUST_FREE with core skipping (key: x_crit): photons at |x| < x_crit scatter off atoms with perpendicular
# velocities above x_crit. f_esc: with absorption of depth SKIPPED_ABSORPTION from midplane to face, X = 1.20623. Then
# the sphere of SPHERE[1000] with x_crit = 2. From 400000 photons each.
SKIPPED_X_CRIT = 0.2 * np.cbrt(DUSTY_DAMPING * DUSTY_DEPTH)
SKIPPED_ABSORPTION = 0.105374
_skipped = lambda *row: _escape(*row, quartile_error=(1.0, 1.15))
SKIPPED = {
    SKIPPED_X_CRIT: _skipped(Measured(12.1131, 0.0087), 9.1409, 15.1052, Measured(0.023885, 0.000033),
                             Measured(19.761, 0.022)) | {"f_esc": Measured(0.22906, 0.00030)},
    5: _skipped(Measured(12.7300, 0.0080), 10.1334, 15.5402, Measured(0.001775, 0.000002),
                Measured(13.6145, 0.0153)) | {"f_esc": Measured(0.33197, 0.00033)},
}
SKIPPED_SPHERE = _skipped(Measured(5.0030, 0.0033), 3.9409, 6.1465, Measured(0.11625, 0.00015),
                          Measured(4.0931, 0.0037))

# Half-space of two-level atoms, complete redistribution, Doppler profile, eps = 0.01, uniform creation of photons: S/B
# averaged over cells between line-centre depths HALF_SPACE_EDGES, with a mirror at the last. From the integral equation
#     S = eps + (1 - eps) INT K(|t - t'|) S dt',   K(s) = 1/(2 sqrt(pi)) INT exp(-2 x^2) E_1(s exp(-x^2)) dx,
# with piecewise constant S on 800 logarithmic intervals and exact integrals of K between them; halving the intervals
# changes it by less than HALF_SPACE_ERROR. At the surface it gives .0999 for the exact sqrt(eps) = 0.1, at depths 1 and
# 10 the values .198 and .531 of Avrett & Hummer (1965, MNRAS 130, 295).
HALF_SPACE_EDGES = (0, 0.02, 0.1, 0.4, 0.9, 1.1, 2, 5, 9, 11, 20, 40, 70, 130, 300, 600, 1000)
HALF_SPACE = (0.1021, 0.1103, 0.1331, 0.1704, 0.1981, 0.2348, 0.3338, 0.4557, 0.5303, 0.6218, 0.7568, 0.8587, 0.9235,
              0.9657, 0.9836, 0.9889)
HALF_SPACE_ERROR = 0.0003
