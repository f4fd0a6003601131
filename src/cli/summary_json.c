/* The summary of a run as JSON. */
#include <math.h>
#include <string.h>

#include "json.h"
#include "linerad_tools.h"
#include "summary.h"

/* NAME and NAME_error. */
static void put_estimate(struct json *json, const char *name, struct lr_estimate estimate)
{
    char label[64];
    snprintf(label, sizeof label, "%s_error", name);
    json_number(json, name, estimate.value);
    json_number(json, label, estimate.error);
}

static void put_pair(struct json *json, const char *name, double lower, double upper)
{
    json_open(json, name, '[');
    json_number(json, NULL, lower);
    json_number(json, NULL, upper);
    json_close(json, '[');
}

static void put_seconds(struct json *json, const struct lr_summary *s)
{
    json_open(json, "seconds", '{');
    json_number(json, "transport", s->seconds_transport);
    json_number(json, "images", s->seconds_images);
    json_number(json, "total", s->seconds_total);
    json_close(json, '{');
}

/* One member per line of the text. */
static void put_lines(struct json *json, const char *name, const char *text)
{
    json_open(json, name, '[');
    while (*text) {
        char line[4096];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        json_text(json, NULL, line);
        text += length + (text[length] == '\n');
    }
    json_close(json, '[');
}

/* Quantities that only packets measure become null. */
static struct lr_summary without_packets(const struct lr_summary *s)
{
    struct lr_summary none = *s;
    enum { N_MEASURED = 14 };
    struct lr_estimate *const measured[N_MEASURED] = {&none.escaped,
                                                      &none.absorbed,
                                                      &none.stuck,
                                                      &none.f_esc,
                                                      &none.scatterings_per_packet,
                                                      &none.mean_path,
                                                      &none.median_abs_x,
                                                      &none.lower_quartile_abs_x,
                                                      &none.upper_quartile_abs_x,
                                                      &none.outside,
                                                      &none.mean_velocity,
                                                      &none.red_blue_ratio,
                                                      &none.red_peak_velocity,
                                                      &none.blue_peak_velocity};
    for (size_t i = 0; i < N_MEASURED; i++)
        *measured[i] = (struct lr_estimate){NAN, NAN};
    none.peak_abs_x = none.peak_abs_x_error = none.scatterings_per_second = NAN;
    return none;
}

static void put_measured(struct json *json, const struct lr_summary *s)
{
    put_estimate(json, "escaped", s->escaped);
    put_estimate(json, "absorbed", s->absorbed);
    put_estimate(json, "stuck", s->stuck);
    put_estimate(json, "f_esc", s->f_esc);
    put_estimate(json, "scatterings_per_packet", s->scatterings_per_packet);
    json_number(json, "scatterings_skipped", s->scatterings_skipped);
    json_number(json, "x_crit", s->x_crit);
    put_estimate(json, "mean_path", s->mean_path);
    put_estimate(json, "median_abs_x", s->median_abs_x);
    put_pair(json, "quartiles_abs_x", s->lower_quartile_abs_x.value, s->upper_quartile_abs_x.value);
    put_pair(json, "quartiles_abs_x_error", s->lower_quartile_abs_x.error, s->upper_quartile_abs_x.error);
    put_estimate(json, "peak_abs_x", (struct lr_estimate){s->peak_abs_x, s->peak_abs_x_error});
    json_bool(json, "asymmetric", s->asymmetric != 0);
    put_estimate(json, "mean_velocity", s->mean_velocity);
    put_estimate(json, "red_blue_ratio", s->red_blue_ratio);
    put_estimate(json, "red_peak_velocity", s->red_peak_velocity);
    put_estimate(json, "blue_peak_velocity", s->blue_peak_velocity);
    put_estimate(json, "outside", s->outside);
}

static void put_populations(struct json *json, const struct lr_summary *s)
{
    json_open(json, "populations", '{');
    json_text(json, "method", s->populations);
    json_integer(json, "iterations", s->population_iterations);
    json_number(json, "error", s->population_error);
    json_number(json, "noise", s->population_noise);
    json_bool(json, "converged", s->populations_converged != 0);
    json_number(json, "seconds", s->seconds_populations);
    json_close(json, '{');
}

static void put_depth(struct json *json, const char *name, struct lr_depth depth)
{
    json_open(json, name, '{');
    json_number(json, "mean", depth.mean);
    json_number(json, "largest", depth.largest);
    json_close(json, '{');
}

/* Empty if there is nothing to compare. */
static void put_check(struct json *json, const struct lr_check *check)
{
    const double degree = 3.14159265358979323846 / 180;
    json_open(json, "check", '{');
    if (*check->missing)
        json_text(json, "not_compared", check->missing);
    if (check->angle > 0) {
        put_estimate(json, "image_flux", check->image);
        put_estimate(json, "packet_flux", check->packets);
        json_number(json, "angle_deg", check->angle / degree);
        json_number(json, "deviation", check->deviation);
    }
    json_close(json, '{');
}

static void put_images(struct json *json, const lr_result *result)
{
    json_open(json, "images", '[');
    const char *camera = NULL;
    for (int i = 0; (camera = lr_result_camera(result, i)); i++) {
        struct lr_image image;
        struct lr_check check;
        LR_INIT(image);
        LR_INIT(check);
        lr_result_image(result, camera, &image);
        lr_result_check(result, camera, &check);
        json_open(json, NULL, '{');
        json_text(json, "camera", camera);
        put_depth(json, "depth", image.depth);
        put_depth(json, "depth_without_stimulated_emission", image.bare);
        json_bool(json, "stimulated_emission", image.stimulated != 0);
        json_number(json, "correlation_with_column", image.correlation);
        json_number(json, "centroid_shift", image.shift);
        json_text(json, "centroid_shift_unit", image.near ? "rad" : "cm");
        put_check(json, &check);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void put_setting(void *json, const char *path, const char *value)
{
    json_text(json, path, value);
}

void summary_print_json(lr_context *ctx, struct json *json, const lr_result *result, const char *output,
                        const char *cubes)
{
    struct lr_summary summary;
    LR_INIT(summary);
    lr_result_summary(result, &summary);
    const struct lr_summary s = summary.packets > 0 ? summary : without_packets(&summary);
    json_open(json, NULL, '{');
    json_text(json, "version", lr_result_text(result, "version"));
    if (*s.line)
        json_text(json, "line", s.line);
    json_text(json, "output", output);
    put_lines(json, "cubes", cubes);
    json_integer(json, "packets", s.packets);
    json_integer(json, "packets_requested", s.packets_requested);
    json_integer(json, "packets_left", s.packets_left);
    json_integer(json, "packets_stuck", s.packets_stuck);
    json_text(json, "partial", s.partial);
    json_text(json, "until", s.until);
    json_unsigned(json, "seed", s.seed);
    json_number(json, "reference_b_cm_s", s.reference_b);
    json_number(json, "emitted", s.emitted);
    put_measured(json, &s);
    put_seconds(json, &s);
    if (lr_result_camera(result, 0))
        put_images(json, result);
    if (*s.populations)
        put_populations(json, &s);
    json_integer(json, "scatterings", s.scatterings);
    json_number(json, "scatterings_per_second", s.scatterings_per_second);
    json_text(json, "device", s.device);
    json_text(json, "precision", s.precision);
    json_open(json, "settings", '{');
    lr_result_settings(ctx, result, put_setting, json);
    json_close(json, '{');
    json_close(json, '{');
}

void summary_open_list(struct json *json)
{
    json_open(json, NULL, '{');
    json_open(json, "lines", '[');
}

void summary_close_list(struct json *json)
{
    json_close(json, '[');
    json_close(json, '{');
}

void summary_print_images_json(struct json *json, const struct lr_summary *s, const char *source, const char *cubes)
{
    json_open(json, NULL, '{');
    json_text(json, "version", lr_version());
    json_text(json, "source", source);
    put_lines(json, "cubes", cubes);
    json_open(json, "seconds", '{');
    json_number(json, "images", s->seconds_images);
    json_number(json, "total", s->seconds_total);
    json_close(json, '{');
    json_text(json, "device", s->device);
    json_text(json, "precision", s->precision);
    json_close(json, '{');
}
