/* walk_shells.h, birth_shells.h and ray_shells.h: exits and whole lines against chords of spheres, steps against the
 * law of cosines, the longest step against its definition, positions of birth against their distribution. */
/* variants: mixed double */
#define LR_WALK_SHELLS
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/birth.h"
#include "kernel/flight.h"
#include "kernel/phase.h"
#include "kernel/ray.h"
#include "kernel/walk.h"

/* Widths from 1e-4 to 1, exact in single precision; the innermost is a ball. */
enum { N = 7 };
static const real WIDTH[N] = {R(0.0009765625), R(0.0625), R(0.5), R(0.0001220703125), R(1), R(0.25), R(0.015625)};

static real edge[N + 1];
static double radius[N + 1];

static struct mesh_view make_mesh(void)
{
    for (int i = 0; i < N; i++) {
        radius[i + 1] = radius[i] + (double)WIDTH[i];
        edge[i + 1] = (real)radius[i + 1];
    }
    return (struct mesh_view){.n = {N, 1, 1}, .width = {WIDTH}, .edge = {edge}, .radius = radius};
}

static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(1986), k, stream, 0);
}

static double uniform(uint32_t random)
{
    return ((double)random + 0.5) / 4294967296.0;
}

/* Lengths are accurate to a few units in the last place of r, magnified where a line grazes a sphere. */
static double rounding(double r)
{
    return 8 * (double)R_EPSILON * r;
}

static double half_chord(double r, double p)
{
    return r > p ? sqrt((r - p) * (r + p)) : 0;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static void exits_lie_on_the_spheres_of_the_shell(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    for (uint32_t k = 0; k < 20000; k++) {
        const struct random4 random = draw(1, k);
        const int shell = (int)(k % N);
        const struct place at = place_in_shell(&mesh, shell, (real)uniform(random.r2) * WIDTH[shell]);
        const struct vec3 n = direction_isotropic(random.r0, random.r1);
        const struct cell_exit exit = walk_exit(at.local, at.width, n);
        const double r = radius[shell] + (double)at.local.x;
        const double z = r * (double)n.z;
        const double p = r * hypot((double)n.x, (double)n.y);
        const int inward = z < 0 && p < radius[shell];
        const int near_tangent = fabs(p - radius[shell]) < 1e3 * rounding(r);
        if (!near_tangent)
            assert_int_equal(exit.axis, inward ? EXIT_INWARD : EXIT_OUTWARD);
        const double expected =
            (exit.axis == EXIT_INWARD ? -half_chord(radius[shell], p) : half_chord(radius[shell + 1], p)) - z;
        /* d(chord) / dp = p / chord */
        const double chord = half_chord(radius[exit.axis == EXIT_INWARD ? shell : shell + 1], p);
        const double tolerance = rounding(expected) + rounding(r) * (1 + p / fmax(chord, sqrt(rounding(r) * r)));
        assert_true(fabs((double)exit.distance - expected) < 4 * tolerance);
    }
}

static void steps_follow_the_law_of_cosines(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    for (uint32_t k = 0; k < 20000; k++) {
        const struct random4 random = draw(2, k);
        const int shell = (int)(k % N);
        const struct place at = place_in_shell(&mesh, shell, (real)uniform(random.r2) * WIDTH[shell]);
        const struct vec3 n = direction_isotropic(random.r0, random.r1);
        /* down to a millionth of the path: short steps keep their digits */
        const double share = pow(10, -6 * uniform(random.r3));
        const real length = (real)share * walk_exit(at.local, at.width, n).distance;
        const struct flown flown = walk_move(at.local, at.width, n, length);
        const double r = radius[shell] + (double)at.local.x;
        const double l = (double)length;
        const double square = r * r + 2 * r * (double)n.z * l + l * l;
        const double r_new = sqrt(square);
        const double rise = l * (2 * r * (double)n.z + l) / (r_new + r);
        assert_true(flown.local.x >= R(0) && flown.local.x <= at.width.thickness);
        const double slack = 8 * (double)R_EPSILON * (fabs(rise) + (double)at.local.x + l * r / r_new);
        assert_true(fabs((double)flown.local.x - (double)at.local.x - rise) <= slack + rounding(r) * l / r);
        assert_true(fabs((double)vec3_dot(flown.n, flown.n) - 1) < 8 * (double)R_EPSILON);
        if (r_new > 1e-3 * r) {
            const double mu = (r * (double)n.z + l) / r_new;
            assert_true(fabs((double)flown.n.z - mu) < 16 * (double)R_EPSILON * (1 + r / r_new));
            const double p = r * hypot((double)n.x, (double)n.y);
            assert_true(fabs(r_new * hypot((double)flown.n.x, (double)flown.n.y) - p) < 4 * rounding(r));
        }
    }
}

static void the_centre_leads_outward(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    const struct place at = place_in_shell(&mesh, 0, R(0.0005));
    const struct vec3 inward = vec3_make(R(0), R(0), R(-1));
    const struct cell_exit exit = walk_exit(at.local, at.width, inward);
    assert_int_equal(exit.axis, EXIT_OUTWARD);
    assert_true(fabs((double)exit.distance - 0.0014765625) < 1e-9);
    const struct flown centre = walk_move(at.local, at.width, inward, at.local.x);
    assert_true(centre.local.x == R(0) && centre.n.z == R(1) && centre.n.x == R(0));
    const struct flown beyond = walk_move(at.local, at.width, inward, exit.distance);
    assert_true(beyond.n.z == R(1) && fabs((double)beyond.local.x - (double)WIDTH[0]) < 1e-9);
    /* from the centre itself, in any direction */
    const struct place middle = place_in_shell(&mesh, 0, R(0));
    const struct flown out = walk_move(middle.local, middle.width, vec3_make(R(0.6), R(0), R(-0.8)), R(0.0003));
    assert_true(out.n.z == R(1) && fabs((double)out.local.x - 0.0003) < 1e-10);
}

static void the_longest_step_turns_by_what_is_asked(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    int limited = 0;
    for (uint32_t k = 0; k < 20000; k++) {
        const struct random4 random = draw(3, k);
        const int shell = 1 + (int)(k % (N - 1));
        struct place at = place_in_shell(&mesh, shell, (real)uniform(random.r2) * WIDTH[shell]);
        const struct vec3 n = direction_isotropic(random.r0, random.r1);
        const double turn = pow(10, -2.5 * uniform(random.r3));
        const real reach = walk_reach(at.local, at.width, n, (real)turn);
        const double r = radius[shell] + (double)at.local.x;
        if ((double)n.z + turn >= 1) {
            assert_true(reach == R_HUGE || (double)n.z + turn < 1 + 1e-6);
            continue;
        }
        const double l = (double)reach;
        const double r_new = sqrt(r * r + 2 * r * (double)n.z * l + l * l);
        const double mu = (r * (double)n.z + l) / r_new;
        const double sine = sqrt(1 - ((double)n.z + turn) * ((double)n.z + turn));
        assert_true(fabs(mu - (double)n.z - turn) < 1e-3 * turn + 20 * (double)R_EPSILON / (sine * sine));
        at.width.step = reach;
        const struct cell_exit exit = walk_exit(at.local, at.width, n);
        assert_true(exit.distance <= reach && (exit.axis == EXIT_STEP) == (exit.distance == reach));
        limited += exit.axis == EXIT_STEP;
    }
    assert_true(limited > 1000);
    const struct place at = place_in_shell(&mesh, 2, R(0.1));
    const real still = r_div(STEP_TURN, R(0)); /* gas at rest */
    assert_true(walk_reach(at.local, at.width, vec3_make(R(0.6), R(0), R(0.8)), still) == R_HUGE);
}

/* ---- whole lines ------------------------------------------------------------------------------------------------- */

/* From outside along a line of impact parameter p: the path in every shell is the difference of two chords. */
static void lines_cross_all_shells(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    for (uint32_t k = 0; k < 5000; k++) {
        const struct random4 random = draw(4, k);
        const double outermost = radius[N];
        double p = outermost * pow(uniform(random.r0), 2);
        if (k % 10 == 0)
            p = 0;
        if (k % 10 == 1)
            p = radius[1 + (k / 10) % (N - 1)]; /* tangent */
        double way[N] = {0}, total = 0;
        struct place at = place_in_shell(&mesh, N - 1, WIDTH[N - 1]);
        const double sine = p / outermost;
        struct vec3 n = direction_about_z((real)-sqrt(1 - sine * sine), (real)uniform(random.r1));
        const double p_real = outermost * hypot((double)n.x, (double)n.y);
        int escaped = 0;
        int crossings = 0;
        while (!escaped) {
            assert_true(crossings++ < 4 * N + 2);
            const struct cell_exit exit = walk_exit(at.local, at.width, n);
            const struct flown flown = walk_move(at.local, at.width, n, exit.distance);
            way[at.i] += (double)exit.distance;
            total += (double)exit.distance;
            at.local = flown.local;
            const struct crossing crossing = walk_cross(&mesh, at, flown.n, exit.axis);
            escaped = crossing.escaped;
            at = crossing.at;
            n = crossing.n;
            assert_true(at.local.x == R(0) || at.local.x == at.width.thickness);
        }
        assert_int_equal(at.i, N - 1);
        const double blur = 4 * rounding(outermost); /* in the impact parameter */
        assert_true(fabs(total - 2 * half_chord(outermost, p_real)) <
                    16 * blur * (1 + 1 / fmax(half_chord(1, sine), 1e-3)));
        for (int i = 0; i < N; i++) {
            double least = INFINITY, most = 0;
            for (int side = -1; side <= 1; side++) {
                const double q = fabs(p_real + side * 4 * blur);
                const double length = 2 * (half_chord(radius[i + 1], q) - half_chord(radius[i], q));
                least = fmin(least, length);
                most = fmax(most, length);
            }
            const double grazing = i > 0 ? 2 * half_chord(radius[i] + 4 * blur, radius[i] - 4 * blur) : 0;
            assert_true(way[i] > least - grazing - 64 * blur && way[i] < most + grazing + 64 * blur);
        }
    }
}

/* Scatterings anywhere: a packet leaves its shell only through a sphere, and always escapes in the end. */
static void random_walks_stay_in_their_shells(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    int64_t steps = 0;
    for (uint32_t k = 0; k < 2000; k++) {
        struct place at = place_in_shell(&mesh, (int)(k % N), R(0));
        struct vec3 n = vec3_make(R(0), R(0), R(1));
        for (uint32_t s = 0;; s++) {
            const struct random4 random = draw(5 + k, s);
            const real tau = -r_log(rng_uniform(random.r2));
            const struct segment segment = fly_segment(at.local, at.width, n, tau, R(4));
            const struct flown flown = walk_move(at.local, at.width, n, segment.length);
            assert_true(flown.local.x >= R(0) && flown.local.x <= at.width.thickness);
            assert_true(fabs((double)vec3_dot(flown.n, flown.n) - 1) < 8 * (double)R_EPSILON);
            at.local = flown.local;
            n = flown.n;
            steps++;
            if (segment.scatters) {
                n = direction_isotropic(random.r0, random.r1);
                continue;
            }
            const struct crossing crossing = walk_cross(&mesh, at, n, segment.axis);
            assert_true(crossing.at.i >= 0 && crossing.at.i < N);
            if (crossing.escaped)
                break;
            at = crossing.at;
            n = crossing.n;
        }
    }
    assert_true(steps > 10000);
}

/* ---- births ------------------------------------------------------------------------------------------------------ */

static void births_fill_the_volume_of_a_shell(void **state)
{
    (void)state;
    enum { SAMPLES = 20000, BINS = 10 };
    for (int shell = 0; shell < N; shell++) {
        const struct mesh_view mesh = make_mesh();
        int bin[BINS] = {0};
        for (uint32_t k = 0; k < SAMPLES; k++) {
            const real h = height_in_shell(edge[shell], WIDTH[shell], rng_uniform(draw(9, k).r0));
            const double r0 = radius[shell], r = r0 + (double)h, r1 = radius[shell + 1];
            const double share = (r - r0) * (r * r + r * r0 + r0 * r0) / ((r1 - r0) * (r1 * r1 + r1 * r0 + r0 * r0));
            bin[(int)fmin(share * BINS, BINS - 1)]++;
        }
        double chi = 0;
        for (int i = 0; i < BINS; i++)
            chi += pow(bin[i] - SAMPLES / BINS, 2) / (SAMPLES / BINS);
        assert_true(chi < 28); /* 9 degrees of freedom: one in a thousand */
        (void)mesh;
    }
}

/* Isotropic light from outside: mu^2 is uniform. */
static void light_from_outside_enters_as_from_an_isotropic_field(void **state)
{
    (void)state;
    enum { SAMPLES = 20000 };
    const struct mesh_view mesh = make_mesh();
    const struct source_view source = {.kind = EMIT_EXTERNAL};
    double mean = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const struct birth born = birth_of(&mesh, &source, draw(11, k), draw(12, k), draw(13, k));
        assert_true(born.at.i == N - 1 && born.at.local.x == WIDTH[N - 1] && born.n.z <= R(0));
        mean += (double)(born.n.z * born.n.z) / SAMPLES;
    }
    assert_true(fabs(mean - 0.5) < 4 / sqrt(12.0 * SAMPLES));
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

static void rays_take_every_shell_in_pieces(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    for (uint32_t k = 0; k < 2000; k++) {
        const struct random4 random = draw(14, k);
        const double p = k % 10 == 0 ? 0 : radius[N] * pow(uniform(random.r0), 2);
        const struct point3 at = {{p, 0, 0.3}}, n = {{0, 0, 1}};
        struct ray ray = ray_enter(&mesh, at, n, -RAY_FAR, RAY_FAR);
        double way[N] = {0}, z = -half_chord(radius[N], p);
        assert_int_equal(ray.hits, 1);
        for (int more = 1; more;) {
            const struct passage piece = ray_advance(&mesh, &ray);
            const double r = hypot(p, z), r0 = radius[piece.cell], r1 = radius[piece.cell + 1];
            const double mean = 0.75 * (pow(r1, 4) - pow(r0, 4)) / (pow(r1, 3) - pow(r0, 3));
            way[piece.cell] += (double)piece.length;
            const double r_end = hypot(p, z + (double)piece.length), l = (double)piece.length;
            assert_true(fabs((double)(piece.to.x - piece.from.x) - (r_end - r)) < rounding(radius[N]) + 1e-11);
            if (l > 1e-3 * radius[N] && p > l) {
                /* INT r dz = (z r + p^2 asinh(z / p)) / 2 */
                const double along =
                    ((z + l) * r_end + p * p * asinh((z + l) / p) - z * r - p * p * asinh(z / p)) / (2 * l);
                assert_true(fabs(0.5 * (double)(piece.from.x + piece.to.x) - (along - mean)) <
                            2e-3 * fabs(r_end - r) + 1e-4 * r + rounding(radius[N]));
            }
            /* gas that flows outward at 3: its velocity toward the observer */
            const double velocity = r > 0 ? 3 * z / r : 3;
            if (r > 1e-3)
                assert_true(fabs((double)flow_make(&piece, R(3), NULL).far - velocity) < 1e-3 * 3);
            z += (double)piece.length;
            more = piece.more;
        }
        for (int i = 0; i < N; i++)
            assert_true(fabs(way[i] - 2 * (half_chord(radius[i + 1], p) - half_chord(radius[i], p))) <
                        4 * rounding(radius[N]));
    }
    /* from the centre to the observer */
    const struct point3 centre = {{0, 0, 0}}, n = {{0.6, 0, 0.8}};
    struct ray ray = ray_enter(&mesh, centre, n, 0, INFINITY);
    double total = 0;
    for (int more = ray.hits; more;) {
        const struct passage piece = ray_advance(&mesh, &ray);
        total += (double)piece.length;
        more = piece.more;
    }
    assert_true(fabs(total - radius[N]) < rounding(radius[N]));
    assert_int_equal(ray_enter(&mesh, (struct point3){{3, 0, 0}}, (struct point3){{0, 0, 1}}, -RAY_FAR, RAY_FAR).hits,
                     0);
}

/* Inside a piece the velocity toward the observer is v(r) z / r, with v linear in r about the mid-radius of the shell,
 * and nowhere steeper than flow_change() says. A ray leaves a shell if its next piece is in another, or there is none.
 */
static void flow_along_a_piece(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    const struct vec3 slope = {R(2), R(0), R(0)};
    for (uint32_t k = 0; k < 500; k++) {
        const double p = radius[N] * uniform(draw(16, k).r0);
        const struct point3 at = {{p, 0, 0}}, n = {{0, 0, 1}};
        struct ray ray = ray_enter(&mesh, at, n, -RAY_FAR, RAY_FAR);
        double z = -half_chord(radius[N], p);
        for (int more = 1; more;) {
            const struct passage piece = ray_advance(&mesh, &ray);
            const struct flow flow = flow_make(&piece, R(3), &slope);
            const double middle = 0.5 * (radius[piece.cell] + radius[piece.cell + 1]);
            for (int part = 0; part <= 4; part++) {
                const double here = z + 0.25 * part * (double)piece.length, r = hypot(p, here);
                const double velocity = (3 + 2 * (r - middle)) * here / r;
                assert_true(r < 0.1 || fabs((double)flow_at(&piece, flow, (real)(0.25 * part)) - velocity) < 1e-4);
            }
            assert_true(flow.far == flow_at(&piece, flow, R(0)) && flow.near == flow_at(&piece, flow, R(1)));
            assert_true(flow_change(flow) == R(2) * (flow.near - flow.far));
            const struct passage other = {.cell = piece.cell + 1, .length = R(1)}, none = {.cell = piece.cell};
            assert_true(passage_leaves(&piece, &other) && passage_leaves(&piece, &none));
            assert_false(piece.length > R(0) && passage_leaves(&piece, &piece));
            z += (double)piece.length;
            more = piece.more;
        }
    }
}

/* The mu of a piece is z / r where it ends. Inside a piece r changes by less than half of itself, or by a quarter of
 * the thickness of the shell, and a piece that ends on a sphere has the mu of that sphere. */
static void rays_know_the_angle_where_pieces_end(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh();
    for (uint32_t k = 0; k < 500; k++) {
        const double p = k == 0 ? 0 : radius[N] * pow(uniform(draw(15, k).r0), 2);
        const struct point3 at = {{p, 0, 0}}, n = {{0, 0, 1}};
        struct ray ray = ray_enter(&mesh, at, n, -RAY_FAR, RAY_FAR);
        double z = -half_chord(radius[N], p);
        int pieces = 0, last = N - 1;
        for (int more = 1; more; pieces++) {
            const struct passage piece = ray_advance(&mesh, &ray);
            const double r = hypot(p, z), end = z + (double)piece.length;
            const double thickness = radius[piece.cell + 1] - radius[piece.cell];
            assert_true((double)piece.length < fmax(0.5 * r, 0.25 * thickness) + rounding(radius[N]));
            if (p > 1e-3)
                assert_true(fabs((double)passage_at(&piece, R(1)).mu - end / hypot(p, end)) < 1e-3);
            z = end;
            more = piece.more;
            if (!more || ray.shell == piece.cell)
                continue;
            const double sphere = radius[ray.shell < piece.cell ? piece.cell : piece.cell + 1];
            const double mu = half_chord(sphere, p) / sphere;
            assert_true(fabs(fabs((double)passage_at(&piece, R(1)).mu) - mu) < 1e-3);
            assert_true((passage_at(&piece, R(1)).mu < R(0)) == (ray.shell < piece.cell));
            last = piece.cell;
        }
        assert_true(last >= 0 && pieces < 40 * N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exits_lie_on_the_spheres_of_the_shell),
        cmocka_unit_test(steps_follow_the_law_of_cosines),
        cmocka_unit_test(the_centre_leads_outward),
        cmocka_unit_test(the_longest_step_turns_by_what_is_asked),
        cmocka_unit_test(lines_cross_all_shells),
        cmocka_unit_test(random_walks_stay_in_their_shells),
        cmocka_unit_test(births_fill_the_volume_of_a_shell),
        cmocka_unit_test(light_from_outside_enters_as_from_an_isotropic_field),
        cmocka_unit_test(rays_take_every_shell_in_pieces),
        cmocka_unit_test(rays_know_the_angle_where_pieces_end),
        cmocka_unit_test(flow_along_a_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
