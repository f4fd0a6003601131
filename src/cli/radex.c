/* linerad radex */
#include "radex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "linerad_tools.h"
#include "message.h"
#include "nearest.h"
#include "options.h"

static const char help[] =
    "linerad radex: level populations and lines of a uniform parcel of gas, by escape probability\n"
    "\n"
    "Usage: linerad radex MOLECULE --temperature T --density NAME=N --column N [options]\n"
    "\n"
    "MOLECULE is a LAMDA file with collision rates. For each model, prints for each line: energy of the upper level,\n"
    "frequency, wavelength, excitation temperature Tex, line-centre optical depth tau, T_R = (J(Tex) - J(Tbg))\n"
    "(1 - exp(-tau)), populations, and the flux of a Gaussian line in K km/s and in erg/cm^2/s.\n"
    "\n"
    "Options (defaults in parentheses; plain numbers are in the unit named)\n"
    "  --temperature T      of the gas, K\n"
    "  --density NAME=N     of a collision partner, cm^-3: H2, p-H2, o-H2, e, H, He or H+; once for each\n"
    "  --column N           of the molecule, cm^-2\n"
    "  --width V            full width at half maximum of the line, km/s (1)\n"
    "  --background T       blackbody background, K (2.725)\n"
    "  --geometry NAME      sphere, lvg, slab or expansion (sphere)\n"
    "  --rates NAME=OTHER   use the collision rates of OTHER for NAME, such as H=H2; any number of times\n"
    "  --lines N or RANGE   print the first N lines, or those in a range of frequencies such as 80:400 GHz (all)\n"
    "  --error E            target relative error of the populations (1e-6)\n"
    "  --threads N          0 = all (0)\n"
    "  --csv, --json        output as CSV or JSON instead of text\n"
    "  --quiet              no messages, except warnings and errors\n"
    "  -h, --help           this text\n"
    "\n"
    "Lists and grids\n"
    "  Temperature, densities, column, width and background may be lists (10,20,50) or grids: 10:100:10 is ten values\n"
    "  from 10 to 100, 1e3:1e7:log9 nine in logarithmic steps. All combinations are solved; of the axes in the order\n"
    "  above, the last varies fastest.\n"
    "\n"
    "Examples\n"
    "  linerad radex hco+.dat --temperature 30 --density H2=1e5 --column 1e15 --width 1\n"
    "  linerad radex co.dat --temperature 10:100:10 --density H2=1e3:1e7:log9 --column 1e17 --csv > grid.csv\n"
    "\n"
    "Exit codes\n"
    "  0  done; models that did not converge are marked, and a warning counts them\n"
    "  2  error: one line on stderr\n";

static const char *const geometry_names[] = {"sphere", "lvg", "slab", "expansion", NULL};

enum { BLOCK = 4096 };

/* ---- options ---- */

static int read_axis(lr_context *ctx, const char *option, const char *text, enum lr_quantity quantity,
                     struct radex_axis *axis)
{
    if (axis->n)
        return message_error("%s is given twice; write a list, such as '10,20'", option);
    if (lr_values_parse(ctx, text, quantity, &axis->values, &axis->n) != LR_OK)
        return message_error("%s: %s", option, lr_last_error(ctx));
    return EXIT_GOOD;
}

/* The collider before '=' in `text`; *rest is what comes after. 0 after an error line. */
static int read_collider(const char *option, const char *text, const char **rest)
{
    char name[8] = "";
    const size_t length = strcspn(text, "=");
    if (text[length] == '=' && length < sizeof name) {
        memcpy(name, text, length);
        *rest = text + length + 1;
    }
    const int collider = lr_collider_find(name);
    if (!collider)
        message_error("%s '%s': write NAME=VALUE with NAME one of H2, p-H2, o-H2, e, H, He, H+", option, text);
    return collider;
}

static int read_density(lr_context *ctx, const char *text, struct radex_request *request)
{
    const char *value = NULL;
    const int collider = read_collider("--density", text, &value);
    return collider ? read_axis(ctx, "--density", value, LR_IN_CM3, &request->density[collider]) : EXIT_ERROR;
}

static int read_rates(const char *text, struct radex_request *request)
{
    const char *other = NULL;
    const int collider = read_collider("--rates", text, &other);
    if (!collider)
        return EXIT_ERROR;
    request->rates_of[collider] = lr_collider_find(other);
    if (!request->rates_of[collider])
        return message_error("--rates '%s': '%s' is not one of H2, p-H2, o-H2, e, H, He, H+", text, other);
    return EXIT_GOOD;
}

static int read_geometry(const char *text, struct radex_request *request)
{
    for (int i = 0; geometry_names[i]; i++)
        if (strcmp(text, geometry_names[i]) == 0) {
            request->geometry = (enum lr_geometry)i;
            request->geometry_name = geometry_names[i];
            return EXIT_GOOD;
        }
    const char *meant = nearest_word(text, geometry_names);
    return message_error("--geometry '%s' is not one of sphere, lvg, slab, expansion%s%s%s", text,
                         meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static int read_error(const char *text, double *error)
{
    char *end = NULL;
    *error = strtod(text, &end);
    if (end == text || *end || !(*error > 0.0 && *error < 1.0))
        return message_error("--error '%s' is not a number between 0 and 1; write for example 1e-6", text);
    return EXIT_GOOD;
}

static int read_threads(const char *text, int *threads)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < 0 || value > 4096)
        return message_error("--threads '%s' is not a whole number from 0 to 4096", text);
    *threads = (int)value;
    return EXIT_GOOD;
}

static int read_option(lr_context *ctx, int option, const char *value, struct radex_request *request)
{
    switch (option) {
    case 't':
        return read_axis(ctx, "--temperature", value, LR_IN_KELVIN, &request->temperature);
    case 'd':
        return read_density(ctx, value, request);
    case 'c':
        return read_axis(ctx, "--column", value, LR_IN_CM2, &request->column);
    case 'w':
        return read_axis(ctx, "--width", value, LR_IN_KM_S, &request->width);
    case 'b':
        return read_axis(ctx, "--background", value, LR_IN_KELVIN, &request->background);
    case 'g':
        return read_geometry(value, request);
    case 'r':
        return read_rates(value, request);
    case 'l':
        request->lines = value;
        return EXIT_GOOD;
    case 'e':
        return read_error(value, &request->error);
    case 'n':
        return read_threads(value, &request->threads);
    case 'C':
    case 'J':
        request->format = option == 'C' ? RADEX_CSV : RADEX_JSON;
        return EXIT_GOOD;
    case 'q':
        request->quiet = true;
        return EXIT_GOOD;
    case 'h':
        request->help = true;
        return EXIT_GOOD;
    default:
        return EXIT_ERROR;
    }
}

static int read_options(lr_context *ctx, int argc, char **argv, struct radex_request *request)
{
    static const struct option options[] = {{"temperature", required_argument, NULL, 't'},
                                            {"density", required_argument, NULL, 'd'},
                                            {"column", required_argument, NULL, 'c'},
                                            {"width", required_argument, NULL, 'w'},
                                            {"background", required_argument, NULL, 'b'},
                                            {"geometry", required_argument, NULL, 'g'},
                                            {"rates", required_argument, NULL, 'r'},
                                            {"lines", required_argument, NULL, 'l'},
                                            {"error", required_argument, NULL, 'e'},
                                            {"threads", required_argument, NULL, 'n'},
                                            {"csv", no_argument, NULL, 'C'},
                                            {"json", no_argument, NULL, 'J'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = options_next(argc, argv, ":h", options)) != -1;) {
        const int code = read_option(ctx, option, optarg, request);
        if (code != EXIT_GOOD || request->help)
            return code;
    }
    request->molecule = options_single(argc, argv, "molecule");
    return request->molecule ? EXIT_GOOD : EXIT_ERROR;
}

static int complete_request(lr_context *ctx, struct radex_request *request)
{
    bool any_density = false;
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        any_density = any_density || request->density[c].n;
    const char *missing = !request->temperature.n ? "--temperature"
                          : !any_density          ? "--density"
                          : !request->column.n    ? "--column"
                                                  : NULL;
    if (missing)
        return message_error("%s is missing; see 'linerad radex --help'", missing);
    int code = EXIT_GOOD;
    if (!request->width.n)
        code = read_axis(ctx, "--width", "1 km/s", LR_IN_KM_S, &request->width);
    if (code == EXIT_GOOD && !request->background.n)
        code = read_axis(ctx, "--background", "2.725 K", LR_IN_KELVIN, &request->background);
    return code;
}

/* ---- lines to show ---- */

static bool is_whole(const char *text, long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && !*end && !errno;
}

/* "80:400 GHz" is read as the list "80,400 GHz". */
static int read_range(lr_context *ctx, const char *text, double range[2])
{
    char copy[128] = "";
    double *values = NULL;
    int n = 0;
    if (strlen(text) < sizeof copy)
        memcpy(copy, text, strlen(text) + 1);
    char *colon = strchr(copy, ':');
    if (!colon)
        return message_error("--lines '%s': write a number of lines, or a range such as '80:400 GHz'", text);
    *colon = ',';
    if (lr_values_parse(ctx, copy, LR_IN_GHZ, &values, &n) != LR_OK)
        return message_error("--lines: %s", lr_last_error(ctx));
    const bool good = n == 2 && values[0] < values[1];
    if (good)
        memcpy(range, values, 2 * sizeof *range);
    lr_values_free(values);
    return good ? EXIT_GOOD
                : message_error("--lines '%s': write a number of lines, or a range such as '80:400 GHz'", text);
}

static int choose_lines(lr_context *ctx, const char *text, struct radex_block *block, int *shown)
{
    double range[2] = {0.0, HUGE_VAL};
    long most = block->n_line;
    if (text && !is_whole(text, &most)) {
        most = block->n_line;
        if (read_range(ctx, text, range) != EXIT_GOOD)
            return EXIT_ERROR;
    }
    for (int i = 0; i < block->n_line && block->n_shown < most; i++) {
        struct lr_line line;
        LR_INIT(line);
        lr_molecule_line(block->molecule, i, &line);
        if (line.frequency >= range[0] && line.frequency <= range[1])
            shown[block->n_shown++] = i;
    }
    block->shown = shown;
    if (block->n_shown == 0)
        return message_error("--lines '%s' selects no lines", text ? text : "");
    return EXIT_GOOD;
}

/* ---- models ---- */

static bool block_allocate(const struct radex_request *request, struct radex_block *block)
{
    double **const arrays[] = {&block->temperature, &block->column, &block->width, &block->background, &block->error};
    double **const lines[] = {&block->excitation, &block->depth, &block->radiation, &block->flux_kelvin,
                              &block->flux_energy};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good = (*arrays[i] = calloc(BLOCK, sizeof(double))) && good;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        good = (*lines[i] = calloc((size_t)BLOCK * (size_t)block->n_line, sizeof(double))) && good;
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        if (request->density[c].n)
            good = (block->density[c] = calloc(BLOCK, sizeof(double))) && good;
    good = (block->population = calloc((size_t)BLOCK * (size_t)block->n_level, sizeof(double))) && good;
    good = (block->iterations = calloc(BLOCK, sizeof(int))) && good;
    return (block->flags = calloc(BLOCK, sizeof(int))) && good;
}

static void block_free(struct radex_block *block)
{
    double *const arrays[] = {block->temperature, block->column,      block->width,     block->background,
                              block->error,       block->excitation,  block->depth,     block->radiation,
                              block->flux_kelvin, block->flux_energy, block->population};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        free(block->density[c]);
    free(block->iterations);
    free(block->flags);
}

/* The value of an axis for model `index`, after dividing out the faster axes. */
static double pick(const struct radex_axis *axis, int64_t *index)
{
    const double value = axis->values[*index % axis->n];
    *index /= axis->n;
    return value;
}

static void fill_block(const struct radex_request *request, int64_t start, struct radex_block *block)
{
    for (int64_t i = 0; i < block->n; i++) {
        int64_t index = start + i;
        block->background[i] = pick(&request->background, &index);
        block->width[i] = pick(&request->width, &index);
        block->column[i] = pick(&request->column, &index);
        for (int c = LR_MAX_COLLIDER - 1; c > 0; c--)
            if (block->density[c])
                block->density[c][i] = pick(&request->density[c], &index);
        block->temperature[i] = pick(&request->temperature, &index);
    }
}

static enum lr_status solve_block(lr_context *ctx, const struct radex_request *request, struct radex_block *block)
{
    struct lr_parcels parcels = {.size = sizeof parcels,
                                 .n = block->n,
                                 .temperature = block->temperature,
                                 .column = block->column,
                                 .width = block->width,
                                 .background = block->background,
                                 .geometry = request->geometry,
                                 .error = request->error,
                                 .threads = request->threads};
    const struct lr_parcel_lines lines = {.size = sizeof lines,
                                          .excitation = block->excitation,
                                          .depth = block->depth,
                                          .radiation = block->radiation,
                                          .flux_kelvin = block->flux_kelvin,
                                          .flux_energy = block->flux_energy,
                                          .population = block->population,
                                          .iterations = block->iterations,
                                          .flags = block->flags,
                                          .error = block->error};
    for (int c = 1; c < LR_MAX_COLLIDER; c++) {
        parcels.density[c] = block->density[c];
        parcels.rates_of[c] = request->rates_of[c];
    }
    return lr_solve_parcels(ctx, block->molecule, &parcels, &lines);
}

static int64_t count_models(const struct radex_request *request)
{
    double product = (double)request->temperature.n * request->column.n * request->width.n * request->background.n;
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        product *= request->density[c].n ? request->density[c].n : 1;
    return product < 1e15 ? (int64_t)product : -1;
}

struct tally {
    int64_t clamped, inverted, failed;
};

static void count_flags(const struct radex_block *block, struct tally *tally)
{
    for (int64_t i = 0; i < block->n; i++) {
        tally->clamped += (block->flags[i] & LR_RATES_CLAMPED) != 0;
        tally->inverted += (block->flags[i] & LR_INVERTED) != 0;
        tally->failed += (block->flags[i] & LR_NOT_CONVERGED) != 0;
    }
}

static void warn(const struct tally *tally, int64_t models)
{
    const long long all = (long long)models;
    if (tally->clamped)
        message_warning("%lld of %lld models lie outside the temperature range of the collision rates; the rates at "
                        "the end of the table were used",
                        (long long)tally->clamped, all);
    if (tally->inverted)
        message_warning(
            "%lld of %lld models have inverted lines (tau < 0); escape probabilities are only a rough guide for them",
            (long long)tally->inverted, all);
    if (tally->failed)
        message_warning("%lld of %lld models did not converge", (long long)tally->failed, all);
}

/* The log repeats itself for every block: shown once. */
static void ignore_log(void *user, enum lr_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static int solve_models(lr_context *ctx, const struct radex_request *request, struct radex_block *block)
{
    const int64_t models = count_models(request);
    struct tally tally = {0, 0, 0};
    if (models < 0)
        return message_error("the grid has more than 1e15 models");
    for (int64_t start = 0; start < models; start += BLOCK) {
        block->n = models - start < BLOCK ? models - start : BLOCK;
        fill_block(request, start, block);
        if (solve_block(ctx, request, block) != LR_OK)
            return message_error("%s", lr_last_error(ctx));
        lr_context_on_log(ctx, ignore_log, NULL);
        if (start == 0)
            radex_write_start(request, stdout);
        radex_write_block(request, block, start == 0, stdout);
        count_flags(block, &tally);
    }
    radex_write_end(request, stdout);
    warn(&tally, models);
    return command_print("");
}

static int solve_request(lr_context *ctx, const struct radex_request *request)
{
    lr_molecule *molecule = NULL;
    struct radex_block block = {0};
    int *shown = NULL;
    int code = EXIT_GOOD;
    if (lr_molecule_load(ctx, request->molecule, &molecule) != LR_OK)
        return message_error("%s", lr_last_error(ctx));
    block.molecule = molecule;
    lr_molecule_size(molecule, &block.n_level, &block.n_line);
    shown = calloc((size_t)block.n_line + 1, sizeof *shown);
    const bool has_memory = block_allocate(request, &block);
    if (shown && has_memory)
        code = choose_lines(ctx, request->lines, &block, shown);
    else
        code = message_error("out of memory");
    if (code == EXIT_GOOD)
        code = solve_models(ctx, request, &block);
    block_free(&block);
    free(shown);
    lr_molecule_free(molecule);
    return code;
}

static void request_free(struct radex_request *request)
{
    lr_values_free(request->temperature.values);
    lr_values_free(request->column.values);
    lr_values_free(request->width.values);
    lr_values_free(request->background.values);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        lr_values_free(request->density[c].values);
}

int command_radex(int argc, char **argv)
{
    struct radex_request request = {.geometry_name = geometry_names[0]};
    lr_context *ctx = lr_context_create();
    if (!ctx)
        return message_error("out of memory");
    int code = read_options(ctx, argc, argv, &request);
    struct console console = console_create(request.quiet);
    lr_context_on_log(ctx, console_log, &console);
    if (code == EXIT_GOOD && request.help) {
        code = command_print(help);
    } else if (code == EXIT_GOOD) {
        code = complete_request(ctx, &request);
        if (code == EXIT_GOOD)
            code = solve_request(ctx, &request);
    }
    request_free(&request);
    lr_context_free(ctx);
    return code;
}
