#include "solve/imaging/source_light.h"

#include <math.h>

#include "base/constants.h"
#include "kernel/voigt.h"
#include "solve/common/quadrature.h"

/* INT of the Voigt profile H / (sqrt(pi) b) between two shifts: Gauss-Legendre over pieces of half a Doppler width. */
static double voigt_share(double low, double high, double a, double b)
{
    enum { NODES = 8, MOST_PIECES = 4096 };
    struct quadrature rule;
    quadrature_make(NODES, &rule);
    const double wanted = ceil((high - low) / (0.5 * b));
    const int pieces = wanted < MOST_PIECES ? (int)fmax(wanted, 1) : MOST_PIECES;
    const double width = (high - low) / pieces;
    double sum = 0;
    for (int p = 0; p < pieces; p++)
        for (int i = 0; i < NODES; i++)
            sum += rule.weight[i] * (double)voigt((real)a, (real)((low + (p + rule.node[i]) * width) / b));
    return sum * width / (LR_SQRT_PI * b);
}

/* INT of a tabulated density from its first shift on, linear in between, not normalised. */
static double table_integral(const struct spectrum *spectrum, double shift)
{
    double sum = 0;
    for (int i = 0; i + 1 < spectrum->n_table && spectrum->shift[i] < shift; i++) {
        const double step = spectrum->shift[i + 1] - spectrum->shift[i];
        const double t = fmin((shift - spectrum->shift[i]) / step, 1);
        const double rise = spectrum->density[i + 1] - spectrum->density[i];
        sum += step * t * (spectrum->density[i] + 0.5 * t * rise);
    }
    return sum;
}

static double covered(double low, double high, double from, double to)
{
    return fmax(fmin(high, to) - fmax(low, from), 0);
}

double spectrum_share(const struct spectrum *spectrum, double low, double high, double a, double b)
{
    const double centre = spectrum->centre;
    const double width = spectrum->width;
    switch (spectrum->kind) {
    case SPECTRUM_MONOCHROMATIC:
        return centre >= low && centre < high ? 1 : 0;
    case SPECTRUM_GAUSSIAN:
        return 0.5 * (erf((high - centre) / (sqrt(2.0) * width)) - erf((low - centre) / (sqrt(2.0) * width)));
    case SPECTRUM_BAND:
        return covered(low, high, centre - 0.5 * width, centre + 0.5 * width) / width;
    case SPECTRUM_TABLE:
        return (table_integral(spectrum, high) - table_integral(spectrum, low)) /
               table_integral(spectrum, spectrum->shift[spectrum->n_table - 1]);
    case SPECTRUM_LOCAL:
        break;
    }
    return voigt_share(low, high, a, b);
}

double channel_share(const struct spectrum *spectrum, const struct channels *channels, int k, int part, double approach,
                     double a, double b)
{
    const double width = channels->width / LIGHT_PARTS;
    const double velocity = channels->first + k * channels->width + part * width;
    return spectrum_share(spectrum, -(velocity + width) - approach, -velocity - approach, a, b);
}

void spectrum_extent(const struct spectrum *spectrum, double *low, double *high)
{
    const double least = 1e-6 * LR_LIGHT_SPEED * 1e-6; /* a line without width, cm/s */
    double half = least;
    *low = *high = spectrum->centre;
    if (spectrum->kind == SPECTRUM_GAUSSIAN)
        half = 8 * spectrum->width;
    if (spectrum->kind == SPECTRUM_BAND)
        half = 0.5 * spectrum->width;
    if (spectrum->kind == SPECTRUM_TABLE) {
        *low = spectrum->shift[0];
        *high = spectrum->shift[spectrum->n_table - 1];
        half = 0;
    }
    *low -= half;
    *high += half;
}
