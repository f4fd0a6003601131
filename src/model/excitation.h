/* Opacity and emission, from the levels of a molecule, of the line that is transported and imaged. With n the density
 * of the molecule, x the fractions of its levels, and sigma0 the cross-section of model/line.h,
 *
 *     alpha0 = n x_l sigma0 (1 - g_l x_u / (g_u x_l))      cm^-1, the bracket being stimulated emission
 *     n x_u A_ul                                           photons s^-1 cm^-3, isotropic, with the profile of the gas
 *
 * so that the source function is n_u A_ul / (n_l B_lu - n_u B_ul), and B(T) in equilibrium. */
#ifndef LR_MODEL_EXCITATION_H
#define LR_MODEL_EXCITATION_H

#include "model/species.h"

/* Cells where g_l x_u > g_u x_l: the line would amplify, which transport does not do. */
struct inversion {
    int64_t n_cell;
    int64_t worst;  /* a cell */
    double largest; /* g_l x_u / (g_u x_l) there */
};

/* Opacity and emissivity of the model's line from fractions x[n_cell][n_level], or for LTE if x is NULL. Both fields
 * must be empty. Inverted cells get zero opacity. */
enum lr_status excitation_line(lr_context *ctx, const lr_model *model, const double *x, struct field *alpha0,
                               struct field *emissivity, struct inversion *inversion);
/* The line of the group from whose opacity in LTE those of the others follow: the first of those with the lowest lower
 * level. Its number in the group. */
int excitation_base(const lr_model *model);
/* As excitation_line(), in LTE for the base. */
enum lr_status excitation_base_line(lr_context *ctx, const lr_model *model, const double *x, struct field *alpha0,
                                    struct field *emissivity, struct inversion *inversion);
/* The same for all lines of the group, [n_cell][n][2] as struct line_group wants it; cells count as inverted where any
 * line is. */
enum lr_status excitation_group(lr_context *ctx, const lr_model *model, const double *x, float **strength,
                                struct inversion *inversion);
/* Log a warning if any cell is inverted. */
void excitation_warn(lr_context *ctx, const lr_model *model, const struct inversion *inversion);

/* Fractions [n_cell][n_level] in LTE. */
enum lr_status excitation_lte(lr_context *ctx, const lr_model *model, double **x);
/* Excitation temperature of the line, K, [n_cell]; NAN where there is no gas. x as in excitation_line(). */
enum lr_status excitation_temperature(lr_context *ctx, const lr_model *model, const double *x, double **temperature);

/* Probability that a collision ends an excitation of the line in a two-level atom,
 *
 *     eps = C' / (A_ul + C'),   C' = C_ul (1 - exp(-h nu / k T)). */
enum lr_status excitation_destruction(lr_context *ctx, const lr_model *model, struct field *eps);
/* Photons created by collisions in excess of those balanced by surroundings of temperature `background` (K), 4 pi
 * sqrt(pi) eps alpha0 b (B_v(T) - B_v(background)), s^-1 cm^-3. */
enum lr_status excitation_thermal(lr_context *ctx, const lr_model *model, const struct field *alpha0, double background,
                                  struct field *emissivity);

/* INT field dV, the luminosity of a volume source. */
double excitation_luminosity(const struct mesh *mesh, const struct field *emissivity);
/* Photons per second of all lines of the group; x as in excitation_line(). */
enum lr_status excitation_group_luminosity(lr_context *ctx, const lr_model *model, const double *x, double *luminosity);

#endif
