/* variants: mixed double */
/* Lines that overlap along a ray: with the frequencies shared by the threads of a warp, each of which does a step for
 * its own ones before the next step begins, the light is that of one thread; and two lines at the same frequency are
 * one line of their summed depth, along several cells that move, with dust and with a line that amplifies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/level_blend.h"
#include "kernel/level_blend_star.h"

enum { LINES = 3, CELLS = 4, N_FREQUENCY = 101, WIDTH = 32 };
static const real REACH = R(4.5), LEAST = R(-0.5);

struct scene {
    struct blend_view blend;
    real shift[LINES];
    struct line_glow glow[CELLS][LINES];
    real velocity[CELLS], kappa[CELLS];
};

/* Lines at these shifts; opacities and source functions differ from cell to cell. */
static void make_scene(struct scene *scene, const double shift[LINES])
{
    scene->blend = (struct blend_view){.n = LINES, .band = band_make(N_FREQUENCY, -10, 0.25), .shift = scene->shift};
    scene->blend.background = blend_tilt_between(&scene->blend.band, R(3), R(0.4), R(0.5));
    for (int m = 0; m < LINES; m++)
        scene->shift[m] = (real)shift[m];
    for (int c = 0; c < CELLS; c++) {
        scene->velocity[c] = (real)(2 * sin(3.0 * c));
        scene->kappa[c] = c == 2 ? R(0.3) : R(0);
        for (int m = 0; m < LINES; m++)
            scene->glow[c][m] =
                (struct line_glow){(real)(1 + cos(c + 2.0 * m)) * R(0.8), (real)(0.2 + 0.1 * c + 0.2 * m)};
    }
}

static struct blend_piece piece_into(const struct scene *scene, int c, int half)
{
    const int from = half == 0 && c > 0 ? c - 1 : c, other = half == 0 || c == 0 ? c : c - 1;
    struct blend_piece piece = {.here = scene->glow[from],
                                .other = scene->glow[other],
                                .is_target = from == c,
                                .is_other = other == c,
                                .length = R(1),
                                .u0 = half == 1 && c > 0 ? R(0.5) : R(0),
                                .u1 = half == 0 ? R(0.5) : R(0),
                                .inv_b = R(1),
                                .grey = scene->kappa[from],
                                .least = LEAST};
    const real middle = c > 0 ? R(0.5) * (scene->velocity[c - 1] + scene->velocity[c]) : scene->velocity[c];
    piece.v0 = half == 0 ? scene->velocity[from] : middle;
    piece.v1 = half == 0 ? middle : scene->velocity[c];
    piece.dust.at_zero = R(0.7);
    return piece;
}

/* Follows a ray and returns what every line sees in every cell. */
static void follow(const struct scene *scene, int width, struct line_light seen[CELLS][LINES])
{
    const struct blend_view *blend = &scene->blend;
    real *memory = calloc((size_t)blend_room_size(LINES, N_FREQUENCY), sizeof *memory);
    assert_non_null(memory);
    const struct blend_room room = blend_room_at(LINES, N_FREQUENCY, memory);
    for (int lane = 0; lane < width; lane++)
        blend_begin(blend, room, lane, width);
    for (int c = 0; c < CELLS; c++) {
        struct blend_window window = {0};
        for (int half = c > 0 ? 0 : 1; half < 2; half++) {
            const struct blend_piece piece = piece_into(scene, c, half);
            const struct blend_window one = blend_window_of(piece.v0, piece.v1, piece.inv_b, piece.grey > R(0));
            window = half == 0 || c == 0 ? one : blend_window_join(window, one);
            for (int lane = 0; lane < width; lane++)
                blend_cross(blend, &piece, &window, REACH, lane, width, room);
        }
        for (int m = 0; m < LINES; m++) {
            double profile = 0, entering = 0, lost = 0;
            for (int lane = 0; lane < width; lane++) {
                const struct blend_record record =
                    blend_see(blend, scene->glow[c], &window, m, scene->velocity[c], R(1), REACH, lane, width, room);
                profile += (double)record.profile;
                entering += (double)record.entering;
                lost += (double)record.lost;
            }
            seen[c][m] = (struct line_light){(real)(entering / profile), (real)(lost / profile)};
        }
        for (int lane = 0; lane < width; lane++)
            blend_leave(blend, scene->glow[c], &window, REACH, lane, width, room);
    }
    free(memory);
}

static const double ROUNDING = sizeof(real) == 4 ? 3e-6 : 1e-12;
/* What the series of a thin step neglects. */
static const double SERIES = sizeof(real) == 4 ? 3e-6 : 2e-7;

static void assert_near(double tolerance, real found, real expected)
{
    if (!(fabs((double)found - (double)expected) < tolerance * fabs((double)expected)))
        fail_msg("%.9g, expected %.9g", (double)found, (double)expected);
}

static void a_warp_finds_what_one_thread_finds(void **state)
{
    (void)state;
    const double shift[LINES] = {0, 1.3, 3};
    struct scene scene;
    struct line_light one[CELLS][LINES], warp[CELLS][LINES];
    make_scene(&scene, shift);
    follow(&scene, 1, one);
    follow(&scene, WIDTH, warp);
    for (int c = 0; c < CELLS; c++)
        for (int m = 0; m < LINES; m++) {
            assert_near(ROUNDING, warp[c][m].entering, one[c][m].entering);
            assert_near(ROUNDING, warp[c][m].lost, one[c][m].lost);
        }
}

/* The second and third line at the same frequency, or the third one without depth and the second one with that of both
 * and the source function of both. With own light of both, what they see is the same. */
static void lines_at_one_frequency_are_one_line(void **state)
{
    (void)state;
    const double shift[LINES] = {0, 1.5, 1.5};
    struct scene two, one;
    struct line_light of_two[CELLS][LINES], of_one[CELLS][LINES];
    make_scene(&two, shift);
    two.glow[3][0] = (struct line_glow){R(-0.2), R(-0.5)}; /* amplifies */
    for (int c = 0; c < CELLS; c++) /* in one proportion, so that means of sources are those of emission */
        two.glow[c][2].alpha = R(1.5) * two.glow[c][1].alpha;
    one = two;
    one.blend.shift = one.shift;
    for (int c = 0; c < CELLS; c++) {
        const struct line_glow a = two.glow[c][1], b = two.glow[c][2];
        const real sum = a.alpha + b.alpha;
        one.glow[c][1] = (struct line_glow){sum, (a.alpha * a.source + b.alpha * b.source) / sum};
        one.glow[c][2] = (struct line_glow){R(0), R(0)};
    }
    two.blend.shift = two.shift;
    follow(&two, 1, of_two);
    follow(&one, 1, of_one);
    for (int c = 0; c < CELLS; c++) {
        const real whole = of_one[c][1].entering + (R(1) - of_one[c][1].lost) * one.glow[c][1].source;
        for (int m = 1; m < LINES; m++)
            assert_near(SERIES, of_two[c][m].entering + (R(1) - of_two[c][m].lost) * two.glow[c][m].source, whole);
        assert_near(SERIES, of_two[c][0].entering, of_one[c][0].entering);
        assert_near(SERIES, of_two[c][0].lost, of_one[c][0].lost);
    }
}

static void a_warp_sees_the_star_that_one_thread_sees(void **state)
{
    (void)state;
    const double shift[LINES] = {0, 1.3, 3};
    real memory[2][BLEND_STAR_ROWS * N_FREQUENCY] = {{R(0)}};
    struct scene scene;
    make_scene(&scene, shift);
    for (int m = 0; m < LINES; m++) {
        real light[2];
        for (int which = 0; which < 2; which++) {
            const int width = which == 0 ? 1 : WIDTH;
            const struct blend_star_room room = blend_star_room_at(N_FREQUENCY, memory[which]);
            double profile = 0, entering = 0;
            for (int f = 0; f < N_FREQUENCY; f++)
                room.tau[f] = R(0);
            struct star_span span = {.v = {R(-1), R(0), R(2)}, .parts = 2, .inv_b = R(1), .length = R(1)};
            for (int c = 0; c < CELLS; c++) {
                span.glow = scene.glow[c];
                for (int lane = 0; lane < width; lane++)
                    blend_star_dim(&scene.blend, &span, R(-5), REACH, lane, width, room);
            }
            for (int lane = 0; lane < width; lane++)
                blend_star_depth(&scene.blend, &span, REACH, lane, width, room);
            for (int lane = 0; lane < width; lane++) {
                const struct blend_record record =
                    blend_star_see(&scene.blend, &span, m, R(0.1), R(0.2), R(100), REACH, lane, width, room);
                profile += (double)record.profile;
                entering += (double)record.entering;
            }
            light[which] = (real)(entering / profile);
        }
        assert_near(ROUNDING, light[1], light[0]);
    }
}

/* More light of a line than it has emitted: the same mean intensity, and no negative rate. */
static void amplified_light_is_counted_once(void **state)
{
    (void)state;
    const real rest = R(2), source = R(3);
    for (int i = 0; i <= 6; i++) {
        const real lost = R(-0.5) + R(0.25) * (real)i;
        const struct line_light light = blend_light(rest, lost, source);
        assert_true(light.lost >= R(0));
        assert_near(ROUNDING, light.entering + (R(1) - light.lost) * source, rest + (R(1) - lost) * source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_finds_what_one_thread_finds),
        cmocka_unit_test(lines_at_one_frequency_are_one_line),
        cmocka_unit_test(a_warp_sees_the_star_that_one_thread_sees),
        cmocka_unit_test(amplified_light_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
