/* What a run measured: plain data in physical units, owned arrays. solve/ fills it, io/ writes it. */
#ifndef LR_MODEL_RESULT_H
#define LR_MODEL_RESULT_H

#include "linerad.h"
#include "mesh/mesh.h"
#include "model/cube.h"
#include "model/scene.h"
#include "model/species.h"
#include "model/stored.h"

/* A value and one standard error per element. */
struct measured {
    double *value;
    double *error;
};

struct packet_list {
    int64_t n;
    int64_t *id;             /* packet number: with the seed, it identifies the history */
    double *weight;          /* [n] photons/s */
    double *shift;           /* [n] cm/s, mesh frame, positive = blue */
    double *path;            /* [n] cm */
    int64_t *scatterings;    /* [n] */
    int *face;               /* [n] 0..5 */
    double *position;        /* [n][3] cm, where it left the mesh */
    double *direction;       /* [n][3] */
    double *last_scattering; /* [n][3] cm; where it was emitted if it never scattered */
};

struct lr_result {
    struct lr_summary summary;
    double
        roulette_balance; /* photons/s removed minus added by Russian roulette; part of `absorbed`, zero on average */
    double photon_energy; /* erg */
    double half_size_x;   /* cm */

    int n_bin;
    double *x_edge;        /* [n_bin + 1] Doppler units of reference_b, positive = blue */
    struct measured total; /* [n_bin] photons/s per unit x */
    struct measured face;  /* [6][n_bin] */
    int n_mu, n_phi, axis;
    struct measured direction; /* [n_mu][n_phi][n_bin], photons/s per unit x and steradian */

    struct mesh mesh;                /* own copy of edges */
    struct measured mean_intensity;  /* [n_cell] photons s^-1 cm^-2 sr^-1; NULL if not requested */
    struct measured scattering_rate; /* [n_cell] s^-1 cm^-3 */

    struct stored sums; /* to which those of other packets can be added (solve/merge); empty if not requested */

    struct population_result *populations; /* of a model with a molecule; or NULL */

    struct packet_list packets; /* n = 0 if not requested */

    int n_cube;
    struct cube *cube;
    struct image_options image; /* how cubes are written */
    struct scene *scene;        /* kept for re-imaging; or NULL */

    char *model_text, *model_resolved;
    char version[32], date[32], host[128], cpu[128];
    char run[40]; /* a random name of the run, the same in all its files */
    int threads, batches;
    char print[24];       /* of the numbers that the model has read (model_print.h), as text; "" = not known */
    int64_t first_packet; /* of a part of a run; otherwise 0 */
};

/* Fails if a total, a spectrum, a field, a population or an image has a value that is not finite. */
enum lr_status result_check_finite(lr_context *ctx, const lr_result *result);

/* The cube of a camera, or NULL. */
const struct cube *result_find_cube(const lr_result *result, const char *camera);

#endif
