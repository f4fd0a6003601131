/* The mesh of a model, as `linerad check` describes it. */
#include "solve/report/report.h"

#include <math.h>

#include "kernel/brick.h"

struct length_unit report_mesh_unit(const struct mesh *mesh)
{
    return report_length_unit(fmin(mesh_size(mesh, 0), fmin(mesh_size(mesh, 1), mesh_size(mesh, 2))));
}

static void write_shells(FILE *out, const struct mesh *mesh, struct length_unit unit)
{
    const double *edge = mesh->edge[0];
    const int n = mesh->n[0];
    double thin = INFINITY, thick = 0.0;
    for (int i = 0; i < n; i++) {
        thin = fmin(thin, edge[i + 1] - edge[i]);
        thick = fmax(thick, edge[i + 1] - edge[i]);
    }
    fprintf(out, "mesh          %d spherical shells from r = %.6g to %.6g %s (%.6g cm)\n", n, edge[0] / unit.cm,
            edge[n] / unit.cm, unit.name, edge[n]);
    fprintf(out, "  shells      %.4g to %.4g %s thick, %s\n", thin / unit.cm, thick / unit.cm, unit.name,
            edge[0] > 0.0 ? "around an empty cavity" : "with a solid innermost sphere");
}

/* The number of cells in each level, and their fraction of the volume. */
static void write_levels(FILE *out, const struct mesh *mesh)
{
    const struct mesh_tree *tree = &mesh->tree;
    const double per_brick = (double)tree->brick[0] * tree->brick[1] * tree->brick[2];
    const double places = (double)tree->root[0] * tree->root[1] * tree->root[2];
    double bricks[BRICK_DEEPEST + 1] = {0};
    for (int64_t b = 0; b < tree->n_brick; b++)
        bricks[brick_from_key(tree->key[b]).level]++;
    fprintf(out, "mesh          refined, %lld cells on %d level%s in %lld bricks of %d x %d x %d\n",
            (long long)mesh_cell_count(mesh), tree->deepest + 1, tree->deepest ? "s" : "", (long long)tree->n_brick,
            tree->brick[0], tree->brick[1], tree->brick[2]);
    for (int level = 0; level <= tree->deepest; level++)
        if (bricks[level] > 0.0)
            fprintf(out, "  level %-6d%.10g cells (%.3g %% of the volume), as on a mesh of %.10g x %.10g x %.10g\n",
                    level, bricks[level] * per_brick, 100.0 * ldexp(bricks[level], -3 * level) / places,
                    ldexp((double)tree->root[0] * tree->brick[0], level),
                    ldexp((double)tree->root[1] * tree->brick[1], level),
                    ldexp((double)tree->root[2] * tree->brick[2], level));
}

void report_mesh(FILE *out, const struct mesh *mesh)
{
    const char *const rules[] = {"open", "periodic", "reflecting"};
    const struct length_unit unit = report_mesh_unit(mesh);
    if (mesh->kind == MESH_SHELLS) {
        write_shells(out, mesh, unit);
        return;
    }
    if (mesh->kind == MESH_AMR)
        write_levels(out, mesh);
    else
        fprintf(out, "mesh          %d x %d x %d = %lld cells\n", mesh->n[0], mesh->n[1], mesh->n[2],
                (long long)mesh_cell_count(mesh));
    for (int axis = 0; axis < 3; axis++) {
        double thin, thick;
        mesh_widths(mesh, axis, &thin, &thick);
        fprintf(out, "  %c           %.6g to %.6g %s (size %.6g cm), cells of %.4g", "xyz"[axis],
                mesh_lower(mesh, axis) / unit.cm, mesh_upper(mesh, axis) / unit.cm, unit.name, mesh_size(mesh, axis),
                thin / unit.cm);
        if (thick > thin * (1.0 + 1e-6))
            fprintf(out, " to %.4g", thick / unit.cm);
        const char *lower = rules[mesh->face[2 * axis]], *upper = rules[mesh->face[2 * axis + 1]];
        if (lower == upper)
            fprintf(out, " %s, both faces %s\n", unit.name, lower);
        else
            fprintf(out, " %s, faces %s and %s\n", unit.name, lower, upper);
    }
}
