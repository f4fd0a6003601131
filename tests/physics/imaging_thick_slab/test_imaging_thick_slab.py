"""A thick slab as a camera sees it, against the packets that leave in its direction.

Two estimates of one intensity from the same packets, which share nothing after the next-to-last scattering: the image
follows light from everywhere in the gas to the camera; the escaped spectrum consists of packets that happen to fly
there, within 0.05 of the camera's cosine mu. That width changes the mean by (0.1^2/24) (mu I)'' / (mu I), below 0.2 %
for the limb darkening of a slab.

Tolerances: in each channel chi-square with the errors of both. The errors of the image come from 8 groups (so that
(d/sigma)^2 may be 7/5 on average) and neighbouring channels share scatterings, which does not change the mean of
chi-square, only its scatter; 60 channels times 5 angles leave less than 0.2. Hence 0.6 < chi^2 / n < 1.7. The total
flux: 3.5 errors of the escaped one, plus 1 % for channels and cells, over which the light of the image is spread
evenly.
"""

import numpy as np
import pytest

from harness import N_SIGMA
from reference import slab_cumulative
from slab import DAMPING, MU, escaped, middles, run_slab, seen


def flux_and_chi2(run, tau_mean):
    """Flux of the images over that of the packets, its error, and chi-square per channel."""
    terms, seen_sum, escaped_sum, variance = [], 0, 0, 0
    for mu in MU:
        image, image_error = seen(run, mu)
        packets, packets_error = escaped(run, mu)
        used = packets_error > 0.001 * packets.max()  # channels with enough packets for an error
        used &= packets > 0.02 * packets.max()
        terms.append(((image - packets)[used] ** 2) / (image_error**2 + packets_error**2)[used])
        weight = mu  # of the flux
        seen_sum += weight * image.sum()
        escaped_sum += weight * packets.sum()
        variance += weight**2 * np.sum(packets_error**2)
        error = np.sqrt(np.sum(packets_error**2)) / packets.sum()
        print(f"  tau_mean {tau_mean}, mu {mu}: image over escaped {image.sum() / packets.sum():.4f} +- {error:.4f}, "
              f"chi^2 / n {np.mean(terms[-1]):.2f} of {used.sum()}")
    terms = np.concatenate(terms)
    chi2 = np.mean(terms)
    flux, error = seen_sum / escaped_sum, np.sqrt(variance) / escaped_sum
    print(f"  tau_mean {tau_mean}: flux of images over escaped {flux:.4f} +- {error:.4f}; chi^2 / n {chi2:.2f}, "
          f"n = {len(terms)}")
    return flux, error, chi2


def compare(run, tau_mean, allowance=0.01):
    flux, error, chi2 = flux_and_chi2(run, tau_mean)
    assert abs(flux - 1) < N_SIGMA * error + allowance
    assert 0.6 < chi2 < 1.7


@pytest.mark.parametrize("tau_mean, packets", [(300, 1e5), (3000, 1.2e4)])
def test_image_agrees_with_escaped_packets(linerad, tau_mean, packets):
    compare(run_slab(linerad, tau_mean, packets, seed=11), tau_mean)


def test_image_is_symmetric_and_has_two_peaks(linerad):
    """Blue and red are the same; the peaks are close to those of Neufeld (1990), 0.88 (a tau_mean)^(1/3), within the
    correction of relative size (a tau_mean)^(-1/3) to that limit."""
    run = run_slab(linerad, 3000, 1.2e4, seed=11)
    x = middles(run)
    image, error = (np.array(column) for column in zip(*(seen(run, mu) for mu in MU)))
    difference = np.sum(image[:, x > 0]) / np.sum(image) - 0.5
    # Channels within the width of a scattering are correlated, about eight of them.
    spread = 0.5 * np.sqrt(8 * np.sum(error**2)) / np.sum(image)
    print(f"  blue half {0.5 + difference:.4f} +- {spread:.4f}")
    assert abs(difference) < N_SIGMA * spread
    folded = np.sum(image + image[:, ::-1], axis=0)[: len(x) // 2]
    peak = x[: len(x) // 2][np.argmax(folded)]
    scale = np.cbrt(DAMPING * 3000)
    print(f"  peak at |x| = {peak:.2f}, Neufeld {0.8812 * scale:.2f}")
    assert abs(peak / (0.8812 * scale) - 1) < 1 / scale + 0.5 * (x[0] - x[1]) / peak


@pytest.mark.long
@pytest.mark.parametrize("tau_mean, packets", [(300, 2e6), (3000, 2e5), (3e4, 2e4), (1e5, 8e3)])
def test_image_agrees_with_escaped_packets_in_detail(linerad, tau_mean, packets):
    compare(run_slab(linerad, tau_mean, packets, seed=12), tau_mean)


@pytest.mark.long
def test_image_tends_to_neufeld(linerad):
    """All angles together: half of the light is below Neufeld's median, within the correction to the limit."""
    run = run_slab(linerad, 1e5, 8e3, seed=12)
    x = np.abs(middles(run))
    flux = sum(mu * seen(run, mu)[0] for mu in MU)
    order = np.argsort(x)
    cumulative = np.cumsum(flux[order]) / np.sum(flux)
    median = np.interp(0.5, cumulative, x[order])
    expected = np.interp(0.5, slab_cumulative(np.linspace(0, 200, 20001), DAMPING * 1e5), np.linspace(0, 200, 20001))
    print(f"  median {median:.2f}, Neufeld {expected:.2f}")
    assert abs(median / expected - 1) < (DAMPING * 1e5) ** (-1 / 3) + 0.02
