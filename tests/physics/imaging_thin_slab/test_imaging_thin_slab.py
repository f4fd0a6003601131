"""Thin gas lit by a beam: the image is the redistribution function itself.

Gas of depth tau << 1 along the beam scatters L (1 - exp(-tau)) photons per second, a fraction 1/(4 pi) per steradian
toward any camera, with frequencies distributed as the kernel of Hummer (1962) for the angle gamma between beam and
camera:

    K(x'|x) = exp(-(x'-x)^2 / (4 sin^2(gamma/2))) H(a / cos(gamma/2), (x'+x) / (2 cos(gamma/2)))
              / (sqrt(pi) sin(gamma) H(a, x))

with x and x' in the frame of the gas: x = -v.n_beam / b for a beam at line centre, and x' is seen at the radio velocity
-(x' b + v.n_camera). Its limits. Forward, gamma = 0: x' = x, a delta function. Backward, gamma = 180 degrees: x' = x -
2 u for an atom of velocity u along the beam, whose density is exp(-u^2) / (a^2 + (x-u)^2) a / (pi H(a,x)), so that

    K(x'|x) = exp(-(x'-x)^2 / 4) a / (2 pi H(a,x) (a^2 + (x'+x)^2 / 4)).

Expected values are integrals over channels, computed here; tolerance: 0.5 % of the peak in every channel and 0.5 % of
the total. Neglected: light that is scattered again or lost on its way, at most tau times a factor for the shape of the
slab.
"""

import numpy as np
import pytest
from scipy.integrate import quad

from imaging import KM, PLANCK, LIGHT_SPEED, cube, hjerting

A, B = 0.01, 1 * KM
LUMINOSITY = 1e50  # photon/s
TOLERANCE = 0.005


def kernel(x_out, x, gamma):
    half_sine, half_cosine = np.sin(0.5 * gamma), np.cos(0.5 * gamma)
    if half_cosine < 1e-9:
        return (np.exp(-0.25 * (x_out - x) ** 2) * A
                / (2 * np.pi * hjerting(A, x) * (A**2 + 0.25 * (x_out + x) ** 2)))
    return (np.exp(-(((x_out - x) / (2 * half_sine)) ** 2)) * hjerting(A / half_cosine, (x_out + x) / (2 * half_cosine))
            / (np.sqrt(np.pi) * np.sin(gamma) * hjerting(A, x)))


def channel_shares(edges, x, gamma, approach):
    """Fraction of the scattered photons in each channel; `approach` is v.n_camera / b."""
    shifts = -edges / B - approach  # in the gas frame; decreases along the channels
    if np.sin(0.5 * gamma) < 1e-9:
        return ((x <= shifts[:-1]) & (x > shifts[1:])).astype(float)
    narrow = [-x, x * np.cos(gamma)]  # where the kernel may be narrower than a channel
    return np.array([quad(kernel, low, high, args=(x, gamma), limit=400, epsabs=1e-9,
                          points=[p for p in narrow if low < p < high] or None)[0]
                     for high, low in zip(shifts[:-1], shifts[1:])])


def differences(image, expected):
    """Largest difference in a channel over the brightest one, and that of the total."""
    return np.max(np.abs(image.spectrum - expected)) / expected.max(), image.spectrum.sum() / expected.sum() - 1


def compare(name, image, expected):
    """`expected`: photon/(s sr) in each channel."""
    worst, whole = differences(image, expected)
    print(f"  {name}: worst channel {worst:.2e} of the peak, whole {whole:+.2e}, {TOLERANCE:.1e} allowed")
    assert worst < TOLERANCE
    assert abs(whole) < TOLERANCE
    assert np.argmax(image.spectrum) in np.flatnonzero(expected > (1 - 2 * TOLERANCE) * expected.max())


def face_on(linerad, packets):
    """examples/thin_slab.yaml: the image, all scattered photons, and those in each channel."""
    image = cube(linerad.run("thin_slab", packets=packets), "face-on")
    assert len(image.velocity) == 32 and np.isclose(image.edges[0], -5 * B)
    scattered = LUMINOSITY * -np.expm1(-0.01 * hjerting(A, 0)) / (4 * np.pi)
    return image, scattered, scattered * channel_shares(image.edges, 0, 0.5 * np.pi, 1)


def mean_velocity(image):
    return np.sum(image.velocity * image.spectrum) / np.sum(image.spectrum)


def test_moving_slab_from_its_face(linerad):
    """The gas approaches the camera with v = b, so its light is at -b."""
    image, scattered, expected = face_on(linerad, 2e5)
    compare("face-on", image, expected)
    mean = mean_velocity(image)
    print(f"  mean velocity {mean / B:+.4f} b")
    assert abs(mean / B + 1) < TOLERANCE
    # The same light in the unit of the file: I_nu = h c I_v.
    total = np.sum(image.intensity) * image.pixel_area * image.width
    assert abs(total / (PLANCK * LIGHT_SPEED * scattered) - 1) < TOLERANCE
    # The slab is as wide as the image and uniformly bright.
    brightness = np.sum(image.intensity, axis=0)
    assert np.all(np.abs(brightness / brightness.mean() - 1) < 0.02)


ANGLES = (0, 45, 90, 135, 180)


def camera(angle):
    """At an angle to the beam. From the sides the image ends with the slab: otherwise rays would count its edge as
    whole pixels or not at all."""
    direction = [np.cos(np.radians(angle)).round(15), 0.0, np.sin(np.radians(angle)).round(15)]
    field = "[1 pc, 0.1 pc]" if direction[2] == 0 else "1.28 pc"
    return ('{name: at%d, direction: [%.16g, %g, %.16g], field: %s, pixels: %s}'
            % (angle, *direction, field, "[10, 1]" if direction[2] == 0 else 64))


def kernel_images(linerad, x, packets, settings=None):
    """Gas that moves with v = (-x, 0.3, 0.8) b and sees the beam at x: {angle: (image, expected)}. Channels of 0.3 b,
    one of which contains all of the forward-scattered light."""
    v = np.array([-x, 0.3, 0.8])
    cameras = [camera(angle) for angle in ANGLES]
    settings = {"medium.tau_centre": 5e-4, "medium.velocity": "[%g km/s, %g km/s, %g km/s]" % tuple(v),
                "channels": "{number: 45, range: [-6.75 km/s, 6.75 km/s]}",
                "cameras": "[%s]" % ", ".join(cameras)} | (settings or {})
    run = linerad.run("thin_slab", settings, packets=packets)
    scattered = LUMINOSITY * -np.expm1(-1e-3 * hjerting(A, x)) / (4 * np.pi)
    images = {}
    for angle in ANGLES:
        image = cube(run, f"at{angle}")
        gamma = np.radians(angle)
        approach = v[0] * np.cos(gamma) + v[2] * np.sin(gamma)
        images[angle] = image, scattered * channel_shares(image.edges, x, gamma, approach)
    return images


@pytest.mark.parametrize("x", [0, 1.5, -0.7])
def test_kernel_at_every_angle(linerad, x):
    for angle, (image, expected) in kernel_images(linerad, x, 2e5).items():
        compare(f"x = {x}, {angle} degrees", image, expected)


def test_dipole_phase_weighs_the_angles(linerad):
    """In the core of Lyman alpha E1 = 1/3: the kernel is the same, times P = 1 + E1 (3/4 cos^2 - 1/4)."""
    settings = {"medium.tau_centre": 5e-4, "medium.velocity": "[0 km/s, 0 km/s, 0 km/s]", "physics.phase": "dipole",
                "channels": "{number: 45, range: [-6.75 km/s, 6.75 km/s]}",
                "cameras": "[%s]" % ", ".join(camera(angle) for angle in ANGLES)}
    run = linerad.run("thin_slab", settings, packets=2e5)
    scattered = LUMINOSITY * -np.expm1(-1e-3 * hjerting(A, 0)) / (4 * np.pi)
    for angle in ANGLES:
        image = cube(run, f"at{angle}")
        gamma = np.radians(angle)
        phase = 1 + (0.75 * np.cos(gamma) ** 2 - 0.25) / 3
        compare(f"dipole, {angle} degrees", image, scattered * phase * channel_shares(image.edges, 0, gamma, 0))
