/* Statistical equilibrium of one parcel of gas by escape probability: its photons escape with the probability beta of
 * each line, and external radiation enters with the same probability (Sobolev 1960; van der Tak et al. 2007). */
#ifndef LR_LINES_ESCAPE_H
#define LR_LINES_ESCAPE_H

#include "kernel/escape_probability.h"
#include "lines/collisions.h"

/* Optical depth and line profile: tau = (g_u / g_l x_l - x_u) A_ul c^3 / (8 pi nu^3) x column_per_speed. */
struct escape_problem {
    const struct molecule *molecule;
    const struct collision_plan *plan;
    double temperature;         /* K */
    double density[N_COLLIDER]; /* cm^-3 */
    double column_per_speed;    /* cm^-2 / (cm s^-1): column over equivalent width of the profile, or density of the
                                   molecule over velocity gradient */
    double background;          /* K, blackbody outside */
    const double *photons;      /* [n_line] photons per mode outside instead of the blackbody; NULL = blackbody */
    enum escape_geometry geometry;
    double expanding; /* ESCAPE_EXPANSION, lines that overlap: the part of the gradient that is expansion, the rest
                         being contraction */
    double inversion_limit; /* beta of lines with tau below minus this grows along its tangent, not exponentially */
    double error;           /* target relative error of every population above ESCAPE_FAINT */
    int iterations;         /* at most */
    int least;              /* levels that are never left out: those of the line of interest, and all below */
    double faint;           /* high levels with exp(-E / kT) below this are left empty, T
                               the higher of temperature and background; 0 = none. 1e-20 makes cold cells cheap */
};

/* Populations below this may have a larger relative error. */
#define ESCAPE_FAINT 1e-20

/* The usual defaults: sphere, inversion limit 1, error 1e-6, 200 iterations, 2.725 K; no gas. */
struct escape_problem escape_defaults(const struct molecule *molecule, const struct collision_plan *plan);

struct escape_outcome {
    int iterations; /* number of times the level equations were solved */
    double error;   /* estimated, see above */
    bool converged;
    bool inverted; /* a line beyond the limit */
    int bad_level; /* the first whose population is not a finite number; or -1 */
};

/* Memory for one thread, for any number of problems with this molecule. */
struct escape_workspace;
enum lr_status escape_workspace_create(lr_context *ctx, const struct molecule *molecule,
                                       struct escape_workspace **workspace);
void escape_workspace_free(struct escape_workspace *workspace);

/* x[n_level], sum 1, never negative. `start` says that x holds an initial guess, such as the populations of a
 * neighbour; otherwise it starts from LTE. */
struct escape_outcome escape_solve(const struct escape_problem *problem, struct escape_workspace *workspace, bool start,
                                   double *x);

/* Optical depth of a line for populations x; negative if inverted. */
double escape_depth(const struct escape_problem *problem, int line, const double *x);

/* Equivalent width of a Gaussian profile over its full width at half maximum: sqrt(pi) / (2 sqrt(ln 2)). */
#define ESCAPE_GAUSSIAN_WIDTH 1.0644670194312262

#endif
