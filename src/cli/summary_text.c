/* The summary of a run as text. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "summary.h"

#define PLUS_MINUS "\xc2\xb1" /* UTF-8 */

/* Powers of ten outside this range are written with an exponent. */
enum { SMALLEST_PLAIN = -4, LARGEST_PLAIN = 6 };

static int power_of_ten(double value)
{
    return (int)floor(log10(fabs(value)));
}

/* The error with two digits, the value with as many decimals: 12.34 ± 0.12, (1.234 ± 0.012)e+09. */
static const char *format_estimate(char *text, size_t size, struct lr_estimate estimate)
{
    if (!(estimate.error > 0.0) || !isfinite(estimate.error) || !isfinite(estimate.value)) {
        snprintf(text, size, "%.6g", estimate.value);
        return text;
    }
    const double largest = fmax(fabs(estimate.value), estimate.error);
    const int power = power_of_ten(largest);
    const int shift = power < SMALLEST_PLAIN || power >= LARGEST_PLAIN ? power : 0;
    const double scale = pow(10.0, -shift);
    const int decimals = (int)fmin(fmax(1 - power_of_ten(estimate.error * scale), 0.0), 15.0);
    if (shift)
        snprintf(text, size, "(%.*f " PLUS_MINUS " %.*f)e%+03d", decimals, estimate.value * scale, decimals,
                 estimate.error * scale, shift);
    else
        snprintf(text, size, "%.*f " PLUS_MINUS " %.*f", decimals, estimate.value, decimals, estimate.error);
    return text;
}

static void put_label(FILE *file, const char *label)
{
    fprintf(file, "%-24s", label);
}

static void put_estimate(FILE *file, const char *label, struct lr_estimate estimate, const char *unit)
{
    char text[96];
    put_label(file, label);
    fprintf(file, "%s%s%s\n", format_estimate(text, sizeof text, estimate), *unit ? "  " : "", unit);
}

/* The label precedes the first name. */
static void put_names(FILE *file, const char *label, const char *names)
{
    while (*names) {
        const size_t length = strcspn(names, "\n");
        put_label(file, label);
        fprintf(file, "%.*s\n", (int)length, names);
        names += length + (names[length] == '\n');
        label = "";
    }
}

/* Only a number that has an error. */
static void put_known(FILE *file, const char *label, struct lr_estimate estimate, const char *unit)
{
    if (isfinite(estimate.value) && isfinite(estimate.error))
        put_estimate(file, label, estimate, unit);
}

/* A line that looks the same on both sides is described by |x|, any other by velocities. */
static void put_shape(FILE *file, const struct lr_summary *s)
{
    char lower[96], upper[96];
    if (s->asymmetric) {
        put_known(file, "mean velocity", s->mean_velocity, "km/s, positive = receding");
        put_known(file, "red / blue photons", s->red_blue_ratio, "");
        put_known(file, "red peak", s->red_peak_velocity, "km/s");
        put_known(file, "blue peak", s->blue_peak_velocity, "km/s");
        return;
    }
    put_estimate(file, "median |x|", s->median_abs_x, "Doppler units");
    put_label(file, "quartiles of |x|");
    fprintf(file, "%s and %s  Doppler units\n", format_estimate(lower, sizeof lower, s->lower_quartile_abs_x),
            format_estimate(upper, sizeof upper, s->upper_quartile_abs_x));
    put_known(file, "peak |x|", (struct lr_estimate){s->peak_abs_x, s->peak_abs_x_error}, "Doppler units");
}

static void put_measured(FILE *file, const struct lr_summary *s)
{
    char fraction[96];
    put_estimate(file, "escaped", s->escaped, "photons/s");
    put_estimate(file, "absorbed", s->absorbed, "photons/s");
    if (s->packets_stuck > 0)
        put_estimate(file, "stuck", s->stuck, "photons/s, neither escaped nor absorbed (run.max_steps)");
    put_label(file, "escaped fraction");
    fputs(format_estimate(fraction, sizeof fraction, s->f_esc), file);
    if (s->packets_stuck > 0)
        fprintf(file, "; up to %.4g if those that are stuck would escape",
                s->f_esc.value + s->stuck.value / s->emitted);
    fputc('\n', file);
    put_estimate(file, "scatterings per packet", s->scatterings_per_packet, "");
    if (s->scatterings_skipped > 0) {
        put_label(file, "of them followed");
        fprintf(file, "%.3g %%, the others inside jumps through deep gas\n",
                100 * (double)s->scatterings / ((double)s->scatterings + s->scatterings_skipped));
    }
    if (s->x_crit > 0) {
        put_label(file, "core skipping");
        fprintf(file, "up to |x| = %.4g: paths are too short, and absorption is too weak\n", s->x_crit);
    }
    put_estimate(file, "mean path", s->mean_path,
                 s->shells ? "radii of the outermost shell" : "half-sizes of the mesh along x");
    put_shape(file, s);
}

static void put_populations(FILE *file, const struct lr_summary *s)
{
    put_label(file, "level populations");
    fprintf(file, "%s", s->populations);
    if (s->population_iterations > 0)
        fprintf(file, ", %d iterations, estimated error %.2g%s", s->population_iterations, s->population_error,
                s->populations_converged ? "" : " (not converged)");
    if (isfinite(s->population_noise) && s->population_iterations > 0)
        fprintf(file, ", noise %.2g", s->population_noise);
    if (s->population_iterations > 0)
        fprintf(file, ", %.3g s", s->seconds_populations);
    fputc('\n', file);
}

/* The flux of an image against that of packets; left out if they were not compared. */
static void put_check(FILE *file, const char *label, const struct lr_check *check)
{
    const double degree = 3.14159265358979323846 / 180;
    char image[96], packets[96];
    put_label(file, label);
    fprintf(file, "flux %s photons/s/sr, from ", format_estimate(image, sizeof image, check->image));
    if (check->angle < 179 * degree)
        fprintf(file, "packets within %.3g deg ", check->angle / degree);
    else
        fprintf(file, "all packets ");
    fprintf(file, "%s: %+.1f sigma\n", format_estimate(packets, sizeof packets, check->packets), check->deviation);
}

/* The largest distance between centroids of channels, in a unit that fits. */
static void put_shift(FILE *file, const struct lr_image *image)
{
    const double cm_per_pc = 3.0856775814913673e18, au_per_pc = 206264.806, degree = 3.14159265358979323846 / 180;
    const double pc = image->shift / cm_per_pc;
    if (image->shift == 0)
        fprintf(file, "channel centroids coincide\n");
    else if (image->near)
        fprintf(file, "channel centroids up to %.3g deg apart\n", image->shift / degree);
    else if (pc >= 1e6)
        fprintf(file, "channel centroids up to %.3g Mpc apart\n", pc / 1e6);
    else if (pc >= 1e3)
        fprintf(file, "channel centroids up to %.3g kpc apart\n", pc / 1e3);
    else if (pc >= 1e-3)
        fprintf(file, "channel centroids up to %.3g pc apart\n", pc);
    else
        fprintf(file, "channel centroids up to %.3g AU apart\n", pc * au_per_pc);
}

/* Unknown numbers are left out; `check` may be NULL. */
static void put_image(FILE *file, const struct lr_image *image, const struct lr_check *check)
{
    const bool known = isfinite(image->depth.mean), bare = isfinite(image->bare.mean);
    char label[80];
    snprintf(label, sizeof label, "image '%s'", image->camera);
    if (known || bare) {
        put_label(file, label);
        fprintf(file, "optical depth ");
        if (known)
            fprintf(file, "%.4g mean, %.4g largest", image->depth.mean, image->depth.largest);
        if (bare)
            fprintf(file, "%s%.4g mean, %.4g largest without stimulated emission", known ? "; " : "", image->bare.mean,
                    image->bare.largest);
        fputs(!bare ? "\n" : image->stimulated ? " (used: with)\n" : " (used: without)\n", file);
        snprintf(label, sizeof label, " ");
    }
    if (isfinite(image->correlation)) {
        put_label(file, label);
        fprintf(file, "correlation of log intensity and log column density %.3f\n", image->correlation);
        snprintf(label, sizeof label, " ");
    }
    if (isfinite(image->shift)) {
        put_label(file, label);
        put_shift(file, image);
        snprintf(label, sizeof label, " ");
    } else if (known || bare) { /* then there is a report */
        put_label(file, label);
        fprintf(file, "no separation of channel centroids: fewer than two channels have emission\n");
        snprintf(label, sizeof label, " ");
    }
    if (check && check->angle > 0) {
        put_check(file, label, check);
    } else if (check && *check->missing) {
        put_label(file, label);
        fprintf(file, "flux not compared with escaped packets: %s\n", check->missing);
    }
}

/* Of many images, only the one with the largest deviation from its packets is shown. */
static void put_images(FILE *file, const lr_result *result)
{
    enum { MANY = 8 };
    const char *furthest = "";
    struct lr_image image;
    struct lr_check check, worst = {.angle = 0};
    int n = 0, compared = 0;
    while (lr_result_camera(result, n))
        n++;
    LR_INIT(image);
    LR_INIT(check);
    for (int i = 0; i < n; i++) {
        const char *camera = lr_result_camera(result, i);
        lr_result_image(result, camera, &image);
        lr_result_check(result, camera, &check);
        put_image(file, &image, n <= MANY ? &check : NULL);
        if (!(check.angle > 0))
            continue;
        if (compared++ == 0 || fabs(check.deviation) > fabs(worst.deviation)) {
            worst = check;
            furthest = camera;
        }
    }
    if (n > MANY && compared > 0) {
        char label[96];
        snprintf(label, sizeof label, "worst of %d: '%s'", compared, furthest);
        put_check(file, label, &worst);
    }
}

void summary_print_text(FILE *file, const lr_result *result, const char *output, const char *cubes)
{
    struct lr_summary summary, *s = &summary;
    LR_INIT(summary);
    lr_result_summary(result, s);
    const double cm_per_km = 1e5;
    const bool followed = s->packets > 0;
    if (*s->line) {
        put_label(file, "line");
        fprintf(file, "%s\n", s->line);
    }
    put_label(file, "packets");
    fprintf(file, "%" PRId64, s->packets);
    if (s->packets < s->packets_requested)
        fprintf(file, " of %" PRId64, s->packets_requested);
    if (s->packets_stuck > 0)
        fprintf(file, ", of which %" PRId64 " were stuck and given up", s->packets_stuck);
    fputs(!followed && lr_result_camera(result, 0) ? "; images show unscattered light\n" : "\n", file);
    if (*s->until) {
        put_label(file, "accuracy");
        fprintf(file, "%s%s\n", s->until, s->until_reached ? ", as asked for" : "; more packets are needed");
    }
    put_label(file, "emitted");
    fprintf(file, "%.6g  photons/s\n", s->emitted);
    if (followed)
        put_measured(file, s);
    put_images(file, result);
    if (*s->populations)
        put_populations(file, s);
    put_label(file, "Doppler unit");
    fprintf(file, "%.6g  km/s\n", s->reference_b / cm_per_km);
    put_label(file, "time");
    if (followed)
        fprintf(file, "%.3g s transport, ", s->seconds_transport);
    if (s->seconds_images > 0)
        fprintf(file, "%.3g s ray tracing, ", s->seconds_images);
    fprintf(file, "%.3g s total\n", s->seconds_total);
    if (followed) {
        put_label(file, "rate");
        fprintf(file, "%.3g scatterings/s\n", s->scatterings_per_second);
    }
    put_label(file, "device");
    fprintf(file, "%s, %s precision, seed %" PRIu64 "\n", s->device, s->precision, s->seed);
    put_label(file, "result");
    fprintf(file, "%s\n", output);
    put_names(file, "cubes", cubes);
}

void summary_print_images_text(FILE *file, const struct lr_summary *s, const char *cubes)
{
    put_label(file, "time");
    fprintf(file, "%.3g s\n", s->seconds_total);
    put_label(file, "device");
    fprintf(file, "%s, %s precision\n", s->device, s->precision);
    put_names(file, "cubes", cubes);
}
