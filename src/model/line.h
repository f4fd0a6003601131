/* Lines known by name, and the quantities of a line that depend on the gas (conventions of docs/physics.md, CGS). */
#ifndef LR_MODEL_LINE_H
#define LR_MODEL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Fill *line from a name such as "lya" (case-insensitive); false for an unknown name. *line is then a similarly spelt
 * one, or has an empty name. */
bool line_find(const char *name, struct line *line);
/* "lya, hi21, ..." */
void line_list_names(char *text, size_t size);

/* Dipole fraction E1 of the phase function between two single levels of weights 2 J + 1. */
double line_dipole_fraction(double g_lower, double g_upper);

/* Its square root, with a sign: the product of those of two lines with the same upper level is E1 for light that is
 * absorbed in one and emitted in the other (Landi Degl'Innocenti & Landolfi 2004, Polarization in Spectral Lines,
 * section 10.2). */
double line_dipole_amplitude(double g_lower, double g_upper);

/* b = sqrt(2 k T / m + b_turb^2), cm/s. */
double line_doppler_b(const struct line *line, double temperature, double turbulence);
/* sigma0 = (g_u / g_l) A_ul c^3 / (8 pi^1.5 nu0^3 b), cm^2; the cross-section is sigma0 H(a, x). */
double line_cross_section(const struct line *line, double b);
/* a = Gamma / (4 pi nu_D), nu_D = nu0 b / c. */
double line_damping(const struct line *line, double b);

/* h nu0 / (k T); infinite at zero temperature. */
double line_energy_ratio(const struct line *line, double temperature);
/* The Planck function at nu0 in photons s^-1 cm^-2 sr^-1 per unit velocity (cm/s): (2 nu0^2 / c^2) (nu0 / c) /
 * (exp(h nu0 / k T) - 1). */
double line_planck(const struct line *line, double temperature);

#endif
