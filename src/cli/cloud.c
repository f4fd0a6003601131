/* linerad cloud */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "linerad_tools.h"
#include "message.h"
#include "options.h"

static const char help[] =
    "linerad cloud: make a turbulent test cloud\n"
    "\n"
    "Usage: linerad cloud [options]\n"
    "\n"
    "Writes a model file with random fields on N x N x N cells: density of H2, temperature, velocity, densities of CO\n"
    "and OH. To use it in a model:\n"
    "\n"
    "  snapshot: cloud.h5\n"
    "  line: {molecule: co, transition: 1-0}\n"
    "\n"
    "Options (defaults in parentheses; plain numbers are in the unit of the default)\n"
    "  -o, --output FILE          (cloud.h5); overwrites an earlier cloud, but no other file\n"
    "  --cells N                  along each axis: even, 8 to 1024 (128)\n"
    "  --seed N                   (1)\n"
    "  --size L                   edge of the cube (0.04 pc)\n"
    "  --sigma V                  velocity dispersion along one axis: <v_x^2 + v_y^2 + v_z^2> = 3 V^2 (0.5 km/s)\n"
    "  --slope N                  velocity power spectrum |v(k)|^2 ~ k^-N; integrated over shells in k, k^(2-N) (4)\n"
    "  --solenoidal F             solenoidal (divergence-free) fraction of that power, 0 to 1 (2/3: natural mix)\n"
    "  --mean-density D           of H2 (100 cm^-3)\n"
    "  --width S                  standard deviation of ln n(H2), which is Gaussian (1.5)\n"
    "  --mach M                   sets the width: S^2 = ln(1 + (0.4 M)^2)\n"
    "  --density-slope N          power spectrum of ln n, as for --slope (11/3)\n"
    "  --mean-temperature T       (47 K)\n"
    "  --min-temperature T        (8 K)\n"
    "  --max-temperature T        (600 K)\n"
    "  --temperature-index P      T ~ n^-P between the limits (0.6)\n"
    "  --transition D             density of H2 at which CO takes over from OH (100 cm^-3)\n"
    "  --mean-co D, --mean-oh D   (2.8e-5 cm^-3, 5.8e-6 cm^-3)\n"
    "  --quiet                    no summary (off)\n"
    "  -h, --help                 this text\n"
    "\n"
    "Means are exact, over the whole volume. The same seed gives the same cloud for any number of cells, with more or\n"
    "less detail. The cube is periodic; a model may leave it open.\n"
    "\n"
    "Examples\n"
    "  linerad cloud\n"
    "  linerad cloud --cells 64 --seed 7 --sigma '1 km/s' --solenoidal 1 -o swirl.h5\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr, nothing overwritten\n";

struct request {
    lr_context *ctx;
    const char *output;
    struct lr_cloud_options options;
    struct switches switches;
};

/* ---- options ---- */

enum option_code {
    OPTION_CELLS = 256,
    OPTION_SEED,
    OPTION_SIZE,
    OPTION_SIGMA,
    OPTION_SLOPE,
    OPTION_SOLENOIDAL,
    OPTION_MEAN_DENSITY,
    OPTION_WIDTH,
    OPTION_MACH,
    OPTION_DENSITY_SLOPE,
    OPTION_MEAN_TEMPERATURE,
    OPTION_MIN_TEMPERATURE,
    OPTION_MAX_TEMPERATURE,
    OPTION_TEMPERATURE_INDEX,
    OPTION_TRANSITION,
    OPTION_MEAN_CO,
    OPTION_MEAN_OH
};

static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                     {"cells", required_argument, NULL, OPTION_CELLS},
                                     {"seed", required_argument, NULL, OPTION_SEED},
                                     {"size", required_argument, NULL, OPTION_SIZE},
                                     {"sigma", required_argument, NULL, OPTION_SIGMA},
                                     {"slope", required_argument, NULL, OPTION_SLOPE},
                                     {"solenoidal", required_argument, NULL, OPTION_SOLENOIDAL},
                                     {"mean-density", required_argument, NULL, OPTION_MEAN_DENSITY},
                                     {"width", required_argument, NULL, OPTION_WIDTH},
                                     {"mach", required_argument, NULL, OPTION_MACH},
                                     {"density-slope", required_argument, NULL, OPTION_DENSITY_SLOPE},
                                     {"mean-temperature", required_argument, NULL, OPTION_MEAN_TEMPERATURE},
                                     {"min-temperature", required_argument, NULL, OPTION_MIN_TEMPERATURE},
                                     {"max-temperature", required_argument, NULL, OPTION_MAX_TEMPERATURE},
                                     {"temperature-index", required_argument, NULL, OPTION_TEMPERATURE_INDEX},
                                     {"transition", required_argument, NULL, OPTION_TRANSITION},
                                     {"mean-co", required_argument, NULL, OPTION_MEAN_CO},
                                     {"mean-oh", required_argument, NULL, OPTION_MEAN_OH},
                                     {"quiet", no_argument, NULL, 'q'},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};

static const char *option_name(int code)
{
    int i = 0;
    while (list[i].name && list[i].val != code)
        i++;
    return list[i].name;
}

/* One value with a unit; plain numbers are in the unit of `quantity`. */
static int read_value(lr_context *ctx, int code, enum lr_quantity quantity, double *value)
{
    double *values = NULL;
    int n = 0;
    if (lr_values_parse(ctx, optarg, quantity, &values, &n) != LR_OK)
        return message_error("--%s: %s", option_name(code), lr_last_error(ctx));
    if (n == 1)
        *value = values[0];
    lr_values_free(values);
    return n == 1 ? EXIT_GOOD : message_error("--%s '%s': expected a single value", option_name(code), optarg);
}

static int read_number(int code, double low, double high, double *value)
{
    char *end = NULL;
    *value = strtod(optarg, &end);
    if (end == optarg || *end || !(*value >= low && *value <= high))
        return message_error("--%s '%s' is not a number from %g to %g", option_name(code), optarg, low, high);
    return EXIT_GOOD;
}

static int read_cells(int *cells)
{
    double value = 0.0;
    if (read_number(OPTION_CELLS, 8, 1024, &value) != EXIT_GOOD)
        return EXIT_ERROR;
    *cells = (int)value;
    if (*cells != value || *cells % 2)
        return message_error("--cells '%s' is not an even whole number", optarg);
    return EXIT_GOOD;
}

static int read_seed(uint64_t *seed)
{
    char *end = NULL;
    errno = 0;
    *seed = strtoull(optarg, &end, 10);
    if (errno || end == optarg || *end || *optarg == '-' || *seed > INT64_MAX)
        return message_error("--seed '%s' is not a whole number from 0 to 2^63 - 1", optarg);
    return EXIT_GOOD;
}

/* Width of the density in isothermal turbulence of that Mach number, with the factor 0.4 of naturally mixed driving
 * (Federrath et al. 2010, A&A 512, A81). */
static int read_mach(double *width)
{
    const double b = 0.4;
    double mach = 0.0;
    if (read_number(OPTION_MACH, 0.0, 1e4, &mach) != EXIT_GOOD)
        return EXIT_ERROR;
    *width = sqrt(log1p(b * b * mach * mach));
    return EXIT_GOOD;
}

static int read_option(void *user, int code)
{
    struct request *request = user;
    lr_context *ctx = request->ctx;
    struct lr_cloud_options *o = &request->options;
    switch (code) {
    case 'o':
        request->output = optarg;
        return EXIT_GOOD;
    case OPTION_CELLS:
        return read_cells(&o->cells);
    case OPTION_SEED:
        return read_seed(&o->seed);
    case OPTION_SIZE:
        return read_value(ctx, code, LR_IN_PC, &o->size);
    case OPTION_SIGMA:
        return read_value(ctx, code, LR_IN_KM_S, &o->sigma_v);
    case OPTION_SLOPE:
        return read_number(code, 0.0, 20.0, &o->velocity_slope);
    case OPTION_SOLENOIDAL:
        return read_number(code, 0.0, 1.0, &o->solenoidal);
    case OPTION_MEAN_DENSITY:
        return read_value(ctx, code, LR_IN_CM3, &o->mean_density);
    case OPTION_WIDTH:
        return read_number(code, 0.0, 5.0, &o->density_width);
    case OPTION_MACH:
        return read_mach(&o->density_width);
    case OPTION_DENSITY_SLOPE:
        return read_number(code, 0.0, 20.0, &o->density_slope);
    case OPTION_MEAN_TEMPERATURE:
        return read_value(ctx, code, LR_IN_KELVIN, &o->mean_temperature);
    case OPTION_MIN_TEMPERATURE:
        return read_value(ctx, code, LR_IN_KELVIN, &o->min_temperature);
    case OPTION_MAX_TEMPERATURE:
        return read_value(ctx, code, LR_IN_KELVIN, &o->max_temperature);
    case OPTION_TEMPERATURE_INDEX:
        return read_number(code, 0.0, 5.0, &o->temperature_index);
    case OPTION_TRANSITION:
        return read_value(ctx, code, LR_IN_CM3, &o->transition_density);
    case OPTION_MEAN_CO:
        return read_value(ctx, code, LR_IN_CM3, &o->mean_co);
    case OPTION_MEAN_OH:
        return read_value(ctx, code, LR_IN_CM3, &o->mean_oh);
    default:
        return EXIT_ERROR;
    }
}

static int read_request(int argc, char **argv, struct request *request)
{
    const struct options options = {":o:h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    if (optind < argc)
        return message_error("unexpected argument '%s'; name the file with -o", argv[optind]);
    return EXIT_GOOD;
}

/* ---- statistics of the cloud ---- */

static void print_range(const char *name, const double range[3], const char *unit)
{
    printf("%-24s%.4g to %.4g, mean %.6g  %s\n", name, range[0], range[2], range[1], unit);
}

/* Correlations of quantities that vary. */
static void print_correlations(const struct lr_cloud_statistics *s)
{
    const char *const names[] = {"T with n", "CO/H2 with n", "OH/H2 with n", "CO/H2 with OH/H2"};
    const double values[] = {s->temperature_with_density, s->co_with_density, s->oh_with_density, s->co_with_oh};
    int n = 0;
    for (int i = 0; i < 4; i++) {
        if (!isfinite(values[i]))
            continue;
        printf("%-*s%s %.3f", n ? 0 : 24, n ? ", " : "log correlation", names[i], values[i]);
        n++;
    }
    if (n > 0)
        printf("\n");
}

static void print_statistics(const struct request *request, const lr_cloud *cloud)
{
    const double cm_per_km = 1e5;
    struct lr_cloud_statistics s;
    lr_cloud_measure(cloud, &s);
    const int n = request->options.cells;
    printf("%-24s%d x %d x %d, seed %llu\n", "cells", n, n, n, (unsigned long long)request->options.seed);
    print_range("n(H2)", s.density, "cm^-3");
    printf("%-24s%.4g\n", "  deviation of ln n", s.density_width);
    print_range("temperature", s.temperature, "K");
    print_range("n(CO)", s.co, "cm^-3");
    print_range("n(OH)", s.oh, "cm^-3");
    printf("%-24s%.4g, %.4g, %.4g  km/s along x, y, z; largest %.4g\n", "velocity dispersion", s.sigma_v[0] / cm_per_km,
           s.sigma_v[1] / cm_per_km, s.sigma_v[2] / cm_per_km, s.fastest / cm_per_km);
    printf("%-24s%.4g of the power\n", "  solenoidal", s.solenoidal);
    print_correlations(&s);
    printf("%-24s%s\n", "model file", request->output);
}

static int make(const struct request *request)
{
    lr_context *ctx = request->ctx;
    lr_cloud *cloud = NULL;
    if (lr_cloud_path_check(ctx, request->output) || lr_cloud_create(ctx, &request->options, &cloud) ||
        lr_cloud_write(ctx, cloud, request->output)) {
        lr_cloud_free(cloud);
        return message_error("%s", lr_last_error(ctx));
    }
    if (!request->switches.quiet)
        print_statistics(request, cloud);
    lr_cloud_free(cloud);
    return command_print("");
}

int command_cloud(int argc, char **argv)
{
    struct console console = console_create(false);
    struct request request = {.ctx = console_context(&console), .output = "cloud.h5", .options = lr_cloud_defaults()};
    if (!request.ctx)
        return EXIT_ERROR;
    int code = read_request(argc, argv, &request);
    console.quiet = request.switches.quiet;
    if (code == EXIT_GOOD)
        code = request.switches.help ? command_print(help) : make(&request);
    lr_context_free(request.ctx);
    return code;
}
