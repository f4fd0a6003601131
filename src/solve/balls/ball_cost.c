#include "solve/balls/ball_cost.h"

#include <math.h>

#include "kernel/ball_chunk.h"
#include "solve/balls/ball_balance.h"

static const double MICROSECOND = 1e-6;

/* For a trial. In the first grade, balls of up to 64 free paths are followed: scatterings are in proportion to the
 * radius. Larger ones are crossed in jumps of about that size, until the photon finds the wing, soon. In the second
 * grade, it finds the wing only after a path of some 1/a: up to there, jumps are in proportion to the radius. */
static double trial_seconds(double a, double radius, bool second)
{
    if (second)
        return (5 + 4.3e-3 * radius / (1 + a * radius / 12)) * MICROSECOND;
    return (radius <= 64 ? 0.65 * radius : 4.5) * MICROSECOND;
}

/* Detailed balance (ball_balance.h) follows cycles, whose jumps are in proportion to 1/radius: of the second grade,
 * about 10 / (a radius). Levels with too many of them are left out. */
static double balance_seconds(const struct ball_wish *wish, bool second)
{
    double sum = 0;
    for (int level = 0; level < wish->n_level; level++) {
        const double radius = ldexp(wish->least, level), jumps = 10 / (wish->a * radius);
        if (!second)
            sum += 0.03 + 5.4 / (radius * (1 + 33 * wish->a));
        else if (jumps < BALL_MANY_JUMPS)
            sum += 0.03 + 0.032 * jumps;
    }
    return sum;
}

double ball_cost_make(const struct ball_wish *wish, bool second)
{
    const double trials = BALL_CHUNK * ceil((double)wish->trials / BALL_CHUNK);
    double sum = 0;
    for (int level = 0; level < wish->n_level; level++)
        sum += trial_seconds(wish->a, ldexp(wish->least, level), second);
    return sum * BALL_ROWS * trials + balance_seconds(wish, second);
}

double ball_cost_bytes(const struct ball_wish *wish)
{
    const double kept = fmin(wish->kept, (double)wish->trials) * BALL_PARTS;
    return wish->n_level * (double)BALL_ROWS * (sizeof(struct ball_row) + kept * sizeof(struct ball_record));
}

double ball_cost_followed(double scatterings)
{
    return 0.028 * MICROSECOND * scatterings;
}

/* Scatterings for each that is followed, or jump. Balls of the first grade end after 240 scatterings or, where the
 * wing begins early, fewer; those of the second, which are left sooner if they are small, after some 1/a. */
double ball_cost_jumps(double scatterings, double a, double first, double second)
{
    const double part = second > 0 ? 1 / (1.4 * second) + a / 4.6 : 1 / (0.4 * first) + 1 / 240.0 + 0.4 * a;
    return 0.23 * MICROSECOND * scatterings * fmin(part, 1);
}
