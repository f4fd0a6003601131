/* emission.h: positions, directions and frequencies of new packets against their distributions, in a rectilinear mesh
 * with moving gas whose damping and Doppler parameter vary from cell to cell. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define voigt cerf_voigt /* libcerf has a voigt(x, sigma, gamma) */
#include <cerf.h>
#undef voigt

#include "kernel/emission.h"
#include "ks.h"
#include "solve/transport/alias.h"

#define PI 3.14159265358979323846
#define N_PACKET KS_DRAWS(400000)

enum { NX = 3, NY = 2, NZ = 2, N_CELL = NX * NY * NZ };
static const real WIDTH[3][NX] = {{R(0.5), R(0.125), R(1.375)}, {R(1), R(0.25)}, {R(0.75), R(2)}};
static const real EDGE[3][NX + 1] = {{R(0), R(0.5), R(0.625), R(2)}, {R(0), R(1), R(1.25)}, {R(0), R(0.75), R(2.75)}};

struct scene {
    struct cell_view cell[N_CELL];
    struct source_view source[3];
    struct transport_view view;
    real keep[3][N_CELL];
    int32_t other[3][N_CELL];
};

static void make_scene(struct scene *scene, int n_source, int kind)
{
    *scene = (struct scene){0};
    for (int c = 0; c < N_CELL; c++)
        scene->cell[c] = (struct cell_view){.alpha0 = R(1),
                                            .a = (real)(c % 2 ? 0.15 : 4.7e-3),
                                            .b = (real)(0.5 + 0.25 * c),
                                            .vx = (real)(0.5 * c - 2),
                                            .vy = (real)(c % 3),
                                            .vz = R(-1.5)};
    scene->view.mesh = (struct mesh_view){
        .n = {NX, NY, NZ}, .width = {WIDTH[0], WIDTH[1], WIDTH[2]}, .edge = {EDGE[0], EDGE[1], EDGE[2]}};
    for (int s = 0; s < n_source; s++)
        scene->source[s] = (struct source_view){.cumulative = (real)((s + 1.0) / n_source),
                                                .kind = kind,
                                                .angular = ANGULAR_ISOTROPIC,
                                                .spectrum = SPECTRUM_MONOCHROMATIC};
    scene->view.cell = scene->cell;
    scene->view.n_source = n_source;
    scene->view.source = scene->source;
    scene->view.key = rng_key_from_seed(1895);
}

static double weight_of(const void *user, int64_t k)
{
    return ((const double *)user)[k];
}

static void set_alias(struct scene *scene, int s, int n, const double *weight)
{
    lr_context *ctx = lr_context_create();
    struct alias alias;
    assert_int_equal(alias_build(ctx, n, weight_of, weight, &alias), LR_OK);
    for (int k = 0; k < n; k++) {
        scene->keep[s][k] = (real)alias.keep[k];
        scene->other[s][k] = alias.other[k];
    }
    scene->source[s].alias = (struct alias_view){n, scene->keep[s], scene->other[s]};
    alias_free(&alias);
    lr_context_free(ctx);
}

static double get(struct vec3 v, int axis)
{
    return (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static int index_of(const struct place *at, int axis)
{
    return axis == 0 ? at->i : axis == 1 ? at->j : at->k;
}

static double position(const struct place *at, int axis)
{
    return (double)EDGE[axis][index_of(at, axis)] + get(at->local, axis);
}

static double size(int axis)
{
    return (double)EDGE[axis][axis == 0 ? NX : 2];
}

static double dot(struct vec3 p, struct vec3 q)
{
    return get(p, 0) * get(q, 0) + get(p, 1) * get(q, 1) + get(p, 2) * get(q, 2);
}

/* Every packet is in the cell it names, flies in a unit direction and carries the widths of the cell. */
static struct emitted emit(const struct scene *scene, uint32_t id)
{
    const struct emitted packet = emit_packet(&scene->view, id, 0);
    for (int axis = 0; axis < 3; axis++) {
        const int cell = index_of(&packet.at, axis);
        assert_true(cell >= 0 && cell < scene->view.mesh.n[axis]);
        assert_true(get(packet.at.width, axis) == (double)WIDTH[axis][cell]);
        assert_true(get(packet.at.local, axis) >= 0 && get(packet.at.local, axis) <= get(packet.at.width, axis));
    }
    assert_true(fabs(dot(packet.n, packet.n) - 1) < 8 * (double)R_EPSILON);
    assert_true(packet.tau >= 0 && isfinite(packet.tau) && isfinite(packet.x));
    return packet;
}

static const struct cell_view *cell_of(const struct scene *scene, const struct place *at)
{
    return &scene->cell[(at->i * NY + at->j) * NZ + at->k];
}

/* Shift in the mesh frame that corresponds to x. */
static double mesh_shift(const struct scene *scene, const struct emitted *packet)
{
    const struct cell_view *cell = cell_of(scene, &packet->at);
    return (double)packet->x * (double)cell->b + dot(vec3_make(cell->vx, cell->vy, cell->vz), packet->n);
}

static void assert_counts(int n, const int64_t *count, const double *probability)
{
    int freedom;
    const double sum = chi_square(n, count, probability, &freedom);
    assert_true(sum < chi_square_bound(freedom));
}

static void assert_distribution(const struct ks *ks)
{
    assert_true(ks->n > 100);
    assert_true(ks_distance(ks) < KS_LAMBDA);
}

static double azimuth(double x, double y)
{
    return atan2(y, x) / (2 * PI) + 0.5;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void test_volume_source_is_uniform_in_volume(void **state)
{
    struct scene scene;
    make_scene(&scene, 1, EMIT_UNIFORM);
    struct ks along[3] = {{0}};
    int64_t count[N_CELL] = {0};
    double probability[N_CELL];
    (void)state;
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        count[cell_of(&scene, &packet.at) - scene.cell]++;
        for (int axis = 0; axis < 3; axis++)
            ks_add(&along[axis], position(&packet.at, axis) / size(axis));
    }
    for (int c = 0; c < N_CELL; c++)
        probability[c] = (double)WIDTH[0][c / 4] * (double)WIDTH[1][c / 2 % 2] * (double)WIDTH[2][c % 2] /
                         (size(0) * size(1) * size(2));
    assert_counts(N_CELL, count, probability);
    for (int axis = 0; axis < 3; axis++)
        assert_distribution(&along[axis]);
}

/* Position, direction, depth and frequency of a packet are independent: no pair is correlated. */
static void test_attributes_of_a_packet_are_uncorrelated(void **state)
{
    enum { N = 7 };
    struct scene scene;
    make_scene(&scene, 1, EMIT_UNIFORM);
    scene.source[0].spectrum = SPECTRUM_BAND;
    scene.source[0].width = R(1);
    double sum[N][N] = {{0}};
    (void)state;
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted p = emit(&scene, id);
        const double u[N] = {position(&p.at, 0) / size(0) - 0.5,
                             position(&p.at, 1) / size(1) - 0.5,
                             position(&p.at, 2) / size(2) - 0.5,
                             0.5 * get(p.n, 2),
                             azimuth(get(p.n, 0), get(p.n, 1)) - 0.5,
                             exp(-(double)p.tau) - 0.5,
                             mesh_shift(&scene, &p)}; /* each uniform in (-1/2, 1/2) */
        for (int i = 0; i < N * N; i++)
            sum[i / N][i % N] += u[i / N] * u[i % N];
    }
    for (int i = 0; i < N * N; i++) {
        const double deviate = sum[i / N][i % N] * 12 / sqrt(N_PACKET);
        if (i / N == i % N)
            assert_true(fabs(deviate / sqrt(N_PACKET) - 1) < 8 / sqrt(N_PACKET));
        else
            assert_true(fabs(deviate) < KS_NORMAL);
    }
}

static void test_weighted_source_follows_its_cells(void **state)
{
    static const double weight[N_CELL] = {0, 1, 2, 3, 0, 0.5, 10, 0.25, 7, 1e-3, 0, 4};
    struct scene scene;
    make_scene(&scene, 1, EMIT_CELLS);
    struct ks within[3] = {{0}};
    int64_t count[N_CELL] = {0};
    double probability[N_CELL];
    double total = 0;
    set_alias(&scene, 0, N_CELL, weight);
    (void)state;
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        count[cell_of(&scene, &packet.at) - scene.cell]++;
        for (int axis = 0; axis < 3; axis++)
            ks_add(&within[axis], get(packet.at.local, axis) / get(packet.at.width, axis));
    }
    for (int c = 0; c < N_CELL; c++)
        total += weight[c];
    for (int c = 0; c < N_CELL; c++)
        probability[c] = weight[c] / total;
    assert_counts(N_CELL, count, probability); /* weight 0 is never drawn */
    for (int axis = 0; axis < 3; axis++)
        assert_distribution(&within[axis]);
}

static void test_point_source_is_a_point_and_isotropic(void **state)
{
    struct scene scene;
    make_scene(&scene, 1, EMIT_POINT);
    struct ks component[3] = {{0}};
    struct ks depth = {0};
    const int cell[3] = {2, 0, 1};
    double longest = 0;
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        scene.source[0].cell[axis] = cell[axis];
        scene.source[0].local[axis] = (real)(0.0625 * (axis + 1));
    }
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(index_of(&packet.at, axis), cell[axis]);
            assert_true(get(packet.at.local, axis) == 0.0625 * (axis + 1));
            ks_add(&component[axis], 0.5 * (get(packet.n, axis) + 1));
        }
        ks_add(&depth, exp(-(double)packet.tau)); /* first free path */
        longest = fmax(longest, (double)packet.tau);
    }
    for (int axis = 0; axis < 3; axis++)
        assert_distribution(&component[axis]);
    assert_distribution(&depth);
    assert_true(longest > log(N_PACKET) - 2.4); /* no cap: a shorter one has the probability exp(-e^2.4) = 1.6e-5 */
}

/* ---- planes and faces -------------------------------------------------------------------------------------------- */

/* Cosine to an axis with density 2 mu, azimuth uniform. */
struct lambert {
    struct ks cosine, turn;
};

static void lambert_add(struct lambert *law, struct vec3 n, int axis, double sign)
{
    const double mu = sign * get(n, axis);
    assert_true(mu > 0);
    ks_add(&law->cosine, mu * mu);
    ks_add(&law->turn, azimuth(get(n, (axis + 1) % 3), get(n, (axis + 2) % 3)));
}

static void make_plane(struct scene *scene, int axis, int angular)
{
    make_scene(scene, 1, EMIT_PLANE);
    scene->source[0].axis = axis;
    scene->source[0].angular = angular;
    scene->source[0].cell[axis] = 1;
    scene->source[0].local[axis] = R(0.0625);
}

static void test_plane_source_is_uniform_on_its_plane(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        struct scene scene;
        make_plane(&scene, axis, ANGULAR_ISOTROPIC);
        struct ks across[2] = {{0}};
        struct ks component[3] = {{0}};
        for (uint32_t id = 0; id < N_PACKET; id++) {
            const struct emitted packet = emit(&scene, id);
            assert_true(index_of(&packet.at, axis) == 1 && get(packet.at.local, axis) == 0.0625);
            for (int k = 0; k < 2; k++)
                ks_add(&across[k], position(&packet.at, (axis + 1 + k) % 3) / size((axis + 1 + k) % 3));
            for (int k = 0; k < 3; k++)
                ks_add(&component[k], 0.5 * (get(packet.n, k) + 1));
        }
        assert_distribution(&across[0]);
        assert_distribution(&across[1]);
        for (int k = 0; k < 3; k++)
            assert_distribution(&component[k]);
    }
}

static void test_lambertian_plane_radiates_with_the_cosine(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct scene scene;
            make_plane(&scene, axis, ANGULAR_LAMBERTIAN);
            struct lambert law = {0};
            scene.source[0].direction[axis] = (real)sign;
            for (uint32_t id = 0; id < N_PACKET; id++)
                lambert_add(&law, emit(&scene, id).n, axis, sign);
            assert_distribution(&law.cosine);
            assert_distribution(&law.turn);
        }
}

static void test_beam_keeps_its_direction(void **state)
{
    struct scene scene;
    make_plane(&scene, 1, ANGULAR_BEAM);
    const real direction[3] = {R(0.48), R(-0.6), R(0.64)};
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        scene.source[0].direction[axis] = direction[axis];
    for (uint32_t id = 0; id < 1000; id++) {
        const struct emitted packet = emit(&scene, id);
        assert_true(packet.n.x == direction[0] && packet.n.y == direction[1] && packet.n.z == direction[2]);
    }
}

/* An isotropic field enters through each face in proportion to its area, uniformly over it and with the cosine law. */
static void test_external_field_enters_with_the_cosine(void **state)
{
    struct scene scene;
    make_scene(&scene, 1, EMIT_EXTERNAL);
    const double area[3] = {size(1) * size(2), size(2) * size(0), size(0) * size(1)};
    const double weight[6] = {area[0], area[0], 0, area[1], area[2], area[2]}; /* one face is closed */
    const double total = 2 * area[0] + area[1] + 2 * area[2];
    struct lambert law[6] = {{{0}, {0}}};
    struct ks across[6][2] = {{{0}, {0}}};
    int64_t count[6] = {0};
    double probability[6];
    set_alias(&scene, 0, 6, weight);
    (void)state;
    for (uint32_t id = 0; id < 3 * N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        int face = -1;
        for (int axis = 0; axis < 3; axis++) { /* the face it enters through */
            if (index_of(&packet.at, axis) == 0 && get(packet.at.local, axis) == 0 && get(packet.n, axis) > 0)
                face = 2 * axis;
            if (position(&packet.at, axis) == size(axis) && get(packet.n, axis) < 0)
                face = 2 * axis + 1;
        }
        assert_true(face >= 0);
        count[face]++;
        lambert_add(&law[face], packet.n, face / 2, face % 2 ? -1 : 1);
        for (int k = 0; k < 2; k++)
            ks_add(&across[face][k], position(&packet.at, (face / 2 + 1 + k) % 3) / size((face / 2 + 1 + k) % 3));
    }
    for (int face = 0; face < 6; face++)
        probability[face] = weight[face] / total;
    assert_counts(6, count, probability);
    for (int face = 0; face < 6; face++) {
        if (face == 2)
            continue;
        assert_distribution(&law[face].cosine);
        assert_distribution(&law[face].turn);
        assert_distribution(&across[face][0]);
        assert_distribution(&across[face][1]);
    }
}

static void test_packet_list_is_drawn_by_weight_and_kept_as_it_is(void **state)
{
    enum { N = 3 };
    static const int32_t cell[3 * N] = {0, 0, 0, 2, 1, 1, 1, 0, 1};
    static const real local[3 * N] = {R(0.125), R(0.25), R(0.5), R(1), R(0.125), R(1.5), R(0.0625), R(0.5), R(0)};
    static const real direction[3 * N] = {R(1), R(0), R(0), R(0.48), R(-0.6), R(0.64), R(0), R(0), R(-1)};
    static const real shift[N] = {R(3), R(-2), R(0.5)};
    static const double weight[N] = {1, 5, 2};
    static const double probability[N] = {0.125, 0.625, 0.25};
    struct scene scene;
    make_scene(&scene, 1, EMIT_LIST);
    struct source_view *source = &scene.source[0];
    int64_t count[N] = {0};
    set_alias(&scene, 0, N, weight);
    source->list_cell = cell;
    source->list_local = local;
    source->list_direction = direction;
    source->list_shift = shift;
    (void)state;
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        const int entry = packet.at.i == 0 ? 0 : packet.at.i == 2 ? 1 : 2;
        count[entry]++;
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(index_of(&packet.at, axis), cell[3 * entry + axis]);
            assert_true(get(packet.at.local, axis) == (double)local[3 * entry + axis]);
            assert_true(get(packet.n, axis) == (double)direction[3 * entry + axis]);
        }
        assert_true(fabs(mesh_shift(&scene, &packet) - (double)shift[entry]) < 40 * (double)R_EPSILON);
    }
    assert_counts(N, count, probability);
}

/* ---- frequencies ------------------------------------------------------------------------------------------------- */

static double gauss_cdf(double t)
{
    return 0.5 * erfc(-t / sqrt(2));
}

/* The same shift relative to the mesh, whatever the gas velocity, or relative to the gas. */
static void check_spectrum(int gas_frame)
{
    struct scene scene;
    make_scene(&scene, 3, EMIT_UNIFORM);
    struct ks gauss = {0};
    struct ks band = {0};
    for (int s = 0; s < 3; s++)
        scene.source[s].gas_frame = gas_frame;
    scene.source[0].centre = R(100); /* far apart, to tell sources apart by their shift */
    scene.source[1].spectrum = SPECTRUM_GAUSSIAN;
    scene.source[1].centre = R(-50);
    scene.source[1].width = R(2.5);
    scene.source[2].spectrum = SPECTRUM_BAND;
    scene.source[2].centre = R(7);
    scene.source[2].width = R(8);
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        const double b = (double)cell_of(&scene, &packet.at)->b;
        const double shift = gas_frame ? (double)packet.x * b : mesh_shift(&scene, &packet);
        if (shift > 50)
            assert_true(fabs(shift - 100) < 400 * (double)R_EPSILON);
        else if (shift < -20)
            ks_add(&gauss, gauss_cdf((shift + 50) / 2.5)); /* width is the dispersion */
        else
            ks_add(&band, (shift - 3) / 8); /* 7 - 4 .. 7 + 4 */
    }
    assert_distribution(&gauss);
    assert_distribution(&band);
}

static void test_spectra_are_relative_to_mesh_or_gas(void **state)
{
    (void)state;
    check_spectrum(0);
    check_spectrum(1);
}

static double profile_density(const void *user, double x)
{
    return re_w_of_z(x, *(const double *)user) / sqrt(PI);
}

/* Local emission: x follows the Voigt profile of the cell, in units of its Doppler parameter. */
static void test_local_spectrum_is_the_profile_of_the_cell(void **state)
{
    struct scene scene;
    make_scene(&scene, 1, EMIT_UNIFORM);
    struct two_scale counts[2] = {{0}};
    (void)state;
    scene.source[0].spectrum = SPECTRUM_LOCAL;
    scene.source[0].gas_frame = 1;
    for (uint32_t id = 0; id < 2 * N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        const int broad = cell_of(&scene, &packet.at)->a > R(0.1);
        two_scale_add(&counts[broad], (double)packet.x, (double)packet.x);
    }
    for (int broad = 0; broad < 2; broad++) {
        const double a = (double)(real)(broad ? 0.15 : 4.7e-3);
        const double tail = a / (PI * 512);
        const struct ks_grid grid = {1, 100};
        double total;
        assert_true(two_scale_distance(&counts[broad], TWO_SCALE_AROUND, profile_density, &a, grid, 0, tail, 0,
                                       &total) < KS_LAMBDA);
    }
}

/* A density that is linear between knots, zero at some, with a gap in the middle; its cumulative distribution is a sum
 * of trapezoids. */
enum { N_KNOT = 7 };
static const double KNOT[N_KNOT] = {-3, -2.5, -1, 0, 1, 1.5, 4};
static const double DENSITY[N_KNOT] = {0, 1, 0.25, 0, 0, 0.75, 0.75};

static double table_cdf(double shift, double *total)
{
    double sum = 0;
    *total = 0;
    for (int i = 0; i + 1 < N_KNOT; i++) {
        const double width = KNOT[i + 1] - KNOT[i];
        const double t = fmin(fmax((shift - KNOT[i]) / width, 0), 1);
        const double here = DENSITY[i] + t * (DENSITY[i + 1] - DENSITY[i]);
        sum += 0.5 * (DENSITY[i] + here) * t * width;
        *total += 0.5 * (DENSITY[i] + DENSITY[i + 1]) * width;
    }
    return sum / *total;
}

static void test_table_spectrum_follows_its_table(void **state)
{
    struct scene scene;
    make_scene(&scene, 1, EMIT_UNIFORM);
    struct source_view *source = &scene.source[0];
    real shift[N_KNOT];
    real density[N_KNOT];
    real integral[N_KNOT];
    double total;
    struct ks ks = {0};
    (void)state;
    for (int i = 0; i < N_KNOT; i++) {
        shift[i] = (real)KNOT[i];
        density[i] = (real)DENSITY[i];
        integral[i] = (real)table_cdf(KNOT[i], &total);
    }
    source->spectrum = SPECTRUM_TABLE;
    source->n_table = N_KNOT;
    source->table_shift = shift;
    source->table_density = density;
    source->table_integral = integral;
    for (int i = 0; i <= 100000; i++) { /* the inverse, for every uniform number; nothing falls into the gap */
        const real uniform = (real)((i + 0.5) / 100001);
        const double found = (double)sample_table_spectrum(source, uniform);
        assert_true(fabs(table_cdf(found, &total) - (double)uniform) < 20 * (double)R_EPSILON);
        assert_true(found <= 0.01 || found >= 0.99);
    }
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        ks_add(&ks, table_cdf(mesh_shift(&scene, &packet), &total));
    }
    assert_distribution(&ks);
}

/* ---- several sources --------------------------------------------------------------------------------------------- */

static void test_sources_share_packets_by_luminosity(void **state)
{
    struct scene scene;
    make_scene(&scene, 3, EMIT_UNIFORM);
    static const double probability[3] = {0.125, 0.75, 0.125};
    int64_t count[3] = {0};
    (void)state;
    scene.source[0].cumulative = R(0.125);
    scene.source[1].cumulative = R(0.875);
    for (int s = 0; s < 3; s++) {
        scene.source[s].centre = (real)(100 * s);
        scene.source[s].gas_frame = 1;
    }
    for (uint32_t id = 0; id < N_PACKET; id++) {
        const struct emitted packet = emit(&scene, id);
        count[lround((double)packet.x * (double)cell_of(&scene, &packet.at)->b / 100)]++;
    }
    assert_counts(3, count, probability);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_source_is_uniform_in_volume),
        cmocka_unit_test(test_attributes_of_a_packet_are_uncorrelated),
        cmocka_unit_test(test_weighted_source_follows_its_cells),
        cmocka_unit_test(test_point_source_is_a_point_and_isotropic),
        cmocka_unit_test(test_plane_source_is_uniform_on_its_plane),
        cmocka_unit_test(test_lambertian_plane_radiates_with_the_cosine),
        cmocka_unit_test(test_beam_keeps_its_direction),
        cmocka_unit_test(test_external_field_enters_with_the_cosine),
        cmocka_unit_test(test_packet_list_is_drawn_by_weight_and_kept_as_it_is),
        cmocka_unit_test(test_spectra_are_relative_to_mesh_or_gas),
        cmocka_unit_test(test_local_spectrum_is_the_profile_of_the_cell),
        cmocka_unit_test(test_table_spectrum_follows_its_table),
        cmocka_unit_test(test_sources_share_packets_by_luminosity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
