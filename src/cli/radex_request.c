/* The command line of `linerad radex`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "linerad_tools.h"
#include "message.h"
#include "nearest.h"
#include "radex.h"

static const char *const geometry_names[] = {"sphere", "lvg", "slab", "expansion", "layer", NULL};

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

static int read_density(const char *text, struct radex_request *request)
{
    const char *value = NULL;
    const int collider = read_collider("--density", text, &value);
    return collider ? read_axis(request->ctx, "--density", value, LR_IN_CM3, &request->density[collider]) : EXIT_ERROR;
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
    return message_error("--geometry '%s' is not one of sphere, lvg, slab, expansion, layer%s%s%s", text,
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

static int read_option(void *user, int option)
{
    struct radex_request *request = user;
    lr_context *ctx = request->ctx;
    const char *value = optarg;
    switch (option) {
    case 't':
        return read_axis(ctx, "--temperature", value, LR_IN_KELVIN, &request->temperature);
    case 'd':
        return read_density(value, request);
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
    case 'o':
        request->overlap = 1;
        return EXIT_GOOD;
    case 'n':
        return read_threads(value, &request->threads);
    case 'C':
    case 'J':
        request->format = option == 'C' ? RADEX_CSV : RADEX_JSON;
        return EXIT_GOOD;
    default:
        return EXIT_ERROR;
    }
}

static int read_options(int argc, char **argv, struct radex_request *request)
{
    static const struct option list[] = {{"temperature", required_argument, NULL, 't'},
                                         {"density", required_argument, NULL, 'd'},
                                         {"column", required_argument, NULL, 'c'},
                                         {"width", required_argument, NULL, 'w'},
                                         {"background", required_argument, NULL, 'b'},
                                         {"geometry", required_argument, NULL, 'g'},
                                         {"rates", required_argument, NULL, 'r'},
                                         {"lines", required_argument, NULL, 'l'},
                                         {"error", required_argument, NULL, 'e'},
                                         {"overlap", no_argument, NULL, 'o'},
                                         {"threads", required_argument, NULL, 'n'},
                                         {"csv", no_argument, NULL, 'C'},
                                         {"json", no_argument, NULL, 'J'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    const struct options options = {":h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    request->molecule = options_single(argc, argv, "molecule");
    return request->molecule ? EXIT_GOOD : EXIT_ERROR;
}

/* What must be given is there, and the rest has its defaults. */
static int complete(struct radex_request *request)
{
    lr_context *ctx = request->ctx;
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

int radex_request_read(int argc, char **argv, struct radex_request *request)
{
    request->geometry_name = geometry_names[request->geometry];
    const int code = read_options(argc, argv, request);
    return code == EXIT_GOOD && !request->switches.help ? complete(request) : code;
}

void radex_request_free(struct radex_request *request)
{
    lr_values_free(request->temperature.values);
    lr_values_free(request->column.values);
    lr_values_free(request->width.values);
    lr_values_free(request->background.values);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        lr_values_free(request->density[c].values);
}
