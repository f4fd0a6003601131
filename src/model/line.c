#include "model/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants.h"
#include "base/words.h"

enum { N_KNOWN = 6 };

/* Masses: AME 2020 isotopes. Gamma is A_ul: the lower levels live much longer. */
static struct line known_line(int index)
{
    const double u = LR_ATOMIC_MASS_UNIT;
    switch (index) {
    case 0:
        /* H I 1s-2p. NIST ASD: vacuum wavelength 121.56701 nm (multiplet mean), A_ul 6.2649e8 s^-1, g 2 and 6. Core
         * phase function: 2/3 of 2P3/2 (E1 = 1/2) and 1/3 of 2P1/2 (E1 = 0). */
        return (struct line){"lya", LR_LIGHT_SPEED / 121.56701e-7, 6.2649e8, 6.2649e8, 2, 6, 1.00782503 * u, 1.0 / 3.0};
    case 1:
        /* H I F = 0-1. Frequency: Hellwig et al. 1970. A_ul: Gould 1994, ApJ 423, 522. */
        return (struct line){"hi21", 1420.405751768e6, 2.8843e-15, 2.8843e-15, 1, 3, 1.00782503 * u, 1.0};
    case 2:
        /* 12C16O J = 0-1. CDMS and LAMDA. */
        return (struct line){"co10", 115.2712018e9, 7.203e-8, 7.203e-8, 1, 3, 27.9949146 * u, 1.0};
    case 3:
        /* HCO+ J = 0-1. CDMS and LAMDA. */
        return (struct line){"hcop10", 89.1885247e9, 4.187e-5, 4.187e-5, 1, 3, 29.0021911 * u, 1.0};
    case 4:
        /* C+ 2P1/2-2P3/2. Frequency: Cooksy et al. 1986, ApJ 305, L89. A_ul: LAMDA (NIST 2.29e-6). */
        return (struct line){"cii158", 1900.5369e9, 2.300e-6, 2.300e-6, 2, 4, 11.9994514 * u, 0.5};
    default:
        /* OH 2Pi3/2 J = 3/2, F = 1-1. Destombes et al. 1977, A&A 60, 55. */
        return (struct line){"oh1665", 1665.4018e6, 7.11e-11, 7.11e-11, 3, 3, 17.0027397 * u, 0.25};
    }
}

bool line_find(const char *name, struct line *line)
{
    struct line known[N_KNOWN];
    const char *names[N_KNOWN];
    char lower[sizeof line->name];
    int nearest = -1;
    for (int i = 0; i < N_KNOWN; i++) {
        known[i] = known_line(i);
        names[i] = known[i].name;
    }
    words_lower(name, lower, sizeof lower);
    const int found = words_match(lower, names, N_KNOWN, &nearest);
    if (found >= 0 || nearest >= 0)
        *line = known[found >= 0 ? found : nearest];
    else
        line->name[0] = '\0';
    return found >= 0;
}

void line_list_names(char *text, size_t size)
{
    text[0] = '\0';
    size_t used = 0;
    for (int i = 0; i < N_KNOWN && used < size; i++) {
        struct line line = known_line(i);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", line.name);
    }
}

/* Hamilton 1947, ApJ 106, 457; Chandrasekhar, Radiative Transfer, table II. J is that of the lower level. */
double line_dipole_fraction(double g_lower, double g_upper)
{
    double j = 0.5 * (g_lower - 1.0), change = 0.5 * (g_upper - g_lower);
    if (change == 1.0)
        return (2.0 * j + 5.0) * (j + 2.0) / (10.0 * (j + 1.0) * (2.0 * j + 1.0));
    if (change == 0.0 && j > 0.0)
        return (2.0 * j - 1.0) * (2.0 * j + 3.0) / (10.0 * j * (j + 1.0));
    if (change == -1.0 && j >= 1.0)
        return (2.0 * j - 3.0) * (j - 1.0) / (10.0 * j * (2.0 * j + 1.0));
    return 1.0;
}

double line_dipole_amplitude(double g_lower, double g_upper)
{
    const double amplitude = sqrt(line_dipole_fraction(g_lower, g_upper));
    return g_lower == g_upper ? -amplitude : amplitude;
}

double line_doppler_b(const struct line *line, double temperature, double turbulence)
{
    return sqrt(2.0 * LR_BOLTZMANN * temperature / line->mass + turbulence * turbulence);
}

double line_cross_section(const struct line *line, double b)
{
    double wavelength = LR_LIGHT_SPEED / line->nu0;
    return line->g_upper / line->g_lower * line->a_ul * wavelength * wavelength * wavelength /
           (8.0 * LR_PI * LR_SQRT_PI * b);
}

double line_damping(const struct line *line, double b)
{
    return line->gamma / (4.0 * LR_PI * line->nu0 * b / LR_LIGHT_SPEED);
}

double line_energy_ratio(const struct line *line, double temperature)
{
    return temperature > 0.0 ? LR_PLANCK * line->nu0 / (LR_BOLTZMANN * temperature) : HUGE_VAL;
}

double line_planck(const struct line *line, double temperature)
{
    double wavenumber = line->nu0 / LR_LIGHT_SPEED;
    return 2.0 * wavenumber * wavenumber * wavenumber / expm1(line_energy_ratio(line, temperature));
}
