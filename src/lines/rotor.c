#include "lines/rotor.h"

#include <stdio.h>
#include <string.h>

#include "base/constants.h"

static double energy_hz(const struct rotor *rotor, int j)
{
    double square = (double)j * (j + 1.0); /* of the angular momentum, in hbar^2 */
    return square * (rotor->b - square * (rotor->d - square * rotor->h));
}

static struct level make_level(const struct rotor *rotor, int j)
{
    struct level level = {.energy = energy_hz(rotor, j) / LR_LIGHT_SPEED, .weight = 2.0 * j + 1.0};
    snprintf(level.label, sizeof level.label, "%d", j);
    return level;
}

static struct transition make_line(const struct rotor *rotor, int j)
{
    double nu = energy_hz(rotor, j + 1) - energy_hz(rotor, j), wavenumber = nu / LR_LIGHT_SPEED;
    double mu = rotor->dipole, pi_squared = LR_PI * LR_PI;
    double a = 64.0 * pi_squared * pi_squared * wavenumber * wavenumber * wavenumber * mu * mu * (j + 1.0) /
               (3.0 * LR_PLANCK * (2.0 * j + 3.0));
    return (struct transition){.upper = j + 1, .lower = j, .a_ul = a, .frequency = nu};
}

enum lr_status rotor_make(lr_context *ctx, const char *name, const struct rotor *rotor, struct molecule *molecule)
{
    for (int j = 0; j < rotor->highest; j++)
        if (!(energy_hz(rotor, j + 1) > energy_hz(rotor, j)))
            return lr_fail(ctx, LR_ERROR_INPUT, "%s: with these constants level J = %d does not lie above J = %d", name,
                           j + 1, j);
    if (rotor->highest < 1)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: highest J is %d; a line needs at least 1", name, rotor->highest);
    memset(molecule, 0, sizeof *molecule);
    snprintf(molecule->name, sizeof molecule->name, "%s", name);
    molecule->mass = rotor->mass;
    LR_TRY(lr_allocate(ctx, (size_t)rotor->highest + 1, sizeof *molecule->level, &molecule->level));
    enum lr_status status = lr_allocate(ctx, (size_t)rotor->highest, sizeof *molecule->line, &molecule->line);
    if (status != LR_OK) {
        molecule_free(molecule);
        return status;
    }
    molecule->n_level = rotor->highest + 1;
    molecule->n_line = rotor->highest;
    for (int j = 0; j <= rotor->highest; j++)
        molecule->level[j] = make_level(rotor, j);
    for (int j = 0; j < rotor->highest; j++)
        molecule->line[j] = make_line(rotor, j);
    return LR_OK;
}
