/* linerad image */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "linerad.h"
#include "message.h"
#include "options.h"
#include "output_name.h"
#include "settings.h"
#include "summary.h"

static const char help[] =
    "linerad image: make new channel maps from a result, without following packets again\n"
    "\n"
    "Usage: linerad image RESULT.h5 [options]\n"
    "\n"
    "The result must come from a run with image.emissivity: true, which stores the gas, its emission, and the light\n"
    "scattered toward each camera. Rays are traced through these, so pixels, field, unit and beam can change freely;\n"
    "channels can be cropped or merged, and directions are fixed. If all light is emitted by the gas and none of it "
    "is\n"
    "scattered, directions (--set cameras.0.direction=+x) and channels can also be chosen freely.\n"
    "\n"
    "Options (defaults in parentheses; otherwise as in the model of the result)\n"
    "  -o, --output PREFIX    files are PREFIX_<camera>.fits (name of the result with _image for .h5, in the\n"
    "                         current directory); overwrites earlier ones, but no other files\n"
    "  --camera NAME          only this camera (all); --pixels, --field and --centre then apply to it alone\n"
    "  --pixels N             number along the longer side of the image, or N,M for width and height\n"
    "  --field L              size of the image: 2pc, or 2pc,1pc; an angle for a camera with a position\n"
    "  --centre X,Y,Z         the point of the mesh at the centre of the image, such as 0pc,0pc,1pc\n"
    "  --range FROM,TO        crop the channels to these velocities, such as -3km/s,3km/s\n"
    "  --bin N                merge N neighbouring channels into one (1)\n"
    "  --unit NAME            K, Jy/pixel, Jy/sr, Jy/beam, photon or erg/s/cm^2/arcsec^2/Angstrom\n"
    "  --beam B               FWHM of a Gaussian beam: 5arcsec, or major,minor,angle as 6arcsec,4arcsec,30deg\n"
    "  --distance D           of the object, such as 140pc; converts lengths to angles for a distant camera\n"
    "  --threads N            CPU threads, 0 = all\n"
    "  --device NAME          auto, cpu, cuda, cuda:N, cuda:0,1 or cuda:all\n"
    "  --set KEY=VALUE        set any other value in cameras, channels or image; repeatable\n"
    "  --json, --json=line    summary as JSON on stdout, on several lines or on one; all other text goes to stderr\n"
    "                         (off)\n"
    "  --quiet                no messages or summary; errors, warnings and --json remain (off)\n"
    "  -h, --help             this text\n"
    "\n"
    "Examples\n"
    "  linerad image cloud.h5 --pixels 512\n"
    "  linerad image cloud.h5 --camera front --distance 140pc --beam 5arcsec --unit Jy/beam -o alma\n"
    "  linerad image cloud.h5 --range=-3km/s,3km/s --bin 4 --set image.moments=true -o coarse\n"
    "\n"
    "Units\n"
    "  Velocities follow the radio convention, positive = receding; --range is in the frame of the mesh, before\n"
    "  image.velocity is added. Channels are cropped at stored edges and merged whole.\n"
    "\n"
    "Exit codes\n"
    "  0  done\n"
    "  2  error: one line on stderr, nothing overwritten\n";

struct request {
    const char *source;
    char *prefix;
    struct switches switches;
    struct settings settings; /* from --set; the other options come after them and take precedence */
    struct settings short_hands;
};

static void request_free(struct request *request)
{
    free(request->prefix);
    settings_free(&request->settings);
    settings_free(&request->short_hands);
}

static int set_prefix(struct request *request, const char *prefix)
{
    const char *dot = strrchr(prefix, '.');
    if (dot && (strcmp(dot, ".fits") == 0 || strcmp(dot, ".h5") == 0))
        return message_error("--output %s: give a prefix, such as %.*s; the files are named PREFIX_<camera>"
                             ".fits",
                             prefix, (int)(dot - prefix), prefix);
    free(request->prefix);
    request->prefix = strdup(prefix);
    return request->prefix ? 0 : message_error("out of memory");
}

/* A list is written with commas on the command line: 2pc,1pc is [2pc, 1pc] in a model. */
static int add_list(struct settings *settings, const char *key, const char *value)
{
    char list[512];
    if (!strchr(value, ','))
        return settings_add_value(settings, key, value);
    snprintf(list, sizeof list, "[%s]", value);
    return settings_add_value(settings, key, list);
}

static int add_range(struct settings *settings, const char *value)
{
    if (!strchr(value, ','))
        return message_error("--range %s: give two velocities, such as -3km/s,3km/s", value);
    return add_list(settings, "range", value);
}

/* One width, or major,minor,angle. */
static int add_beam(struct settings *settings, const char *value)
{
    const char *second = strchr(value, ','), *third = second ? strchr(second + 1, ',') : NULL;
    char beam[512];
    if (!second)
        return settings_add_value(settings, "image.beam", value);
    if (!third || strchr(third + 1, ','))
        return message_error("--beam %s: give one width such as 5arcsec, or major,minor,angle", value);
    snprintf(beam, sizeof beam, "{major: %.*s, minor: %.*s, angle: %s}", (int)(second - value), value,
             (int)(third - second - 1), second + 1, third + 1);
    return settings_add_value(settings, "image.beam", beam);
}

static int read_option(void *user, int option)
{
    struct request *request = user;
    static const char *const units[] = {"K", "Jy/pixel", "Jy/sr", "Jy/beam", "photon", "erg/s/cm^2/arcsec^2/Angstrom",
                                        NULL};
    struct settings *short_hands = &request->short_hands;
    switch (option) {
    case 'o':
        return set_prefix(request, optarg);
    case 'c':
        return settings_add_value(short_hands, "camera", optarg);
    case 'p':
        return add_list(short_hands, "pixels", optarg);
    case 'f':
        return add_list(short_hands, "field", optarg);
    case 'm':
        return add_list(short_hands, "centre", optarg);
    case 'r':
        return add_range(short_hands, optarg);
    case 'b':
        return settings_add_whole(short_hands, "--bin", "bin", optarg);
    case 'u':
        return settings_add_choice(short_hands, "--unit", "image.unit", optarg, units);
    case 'w':
        return add_beam(short_hands, optarg);
    case 'D':
        return settings_add_value(short_hands, "image.distance", optarg);
    case 't':
        return settings_add_whole(short_hands, "--threads", "run.threads", optarg);
    case 'd':
        return settings_add_device(short_hands, optarg);
    case 's':
        return settings_add(&request->settings, optarg);
    default:
        return EXIT_ERROR;
    }
}

static int read_request(int argc, char **argv, struct request *request)
{
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"camera", required_argument, NULL, 'c'},
                                         {"pixels", required_argument, NULL, 'p'},
                                         {"field", required_argument, NULL, 'f'},
                                         {"centre", required_argument, NULL, 'm'},
                                         {"range", required_argument, NULL, 'r'},
                                         {"bin", required_argument, NULL, 'b'},
                                         {"unit", required_argument, NULL, 'u'},
                                         {"beam", required_argument, NULL, 'w'},
                                         {"distance", required_argument, NULL, 'D'},
                                         {"threads", required_argument, NULL, 't'},
                                         {"device", required_argument, NULL, 'd'},
                                         {"set", required_argument, NULL, 's'},
                                         {"json", optional_argument, NULL, 'j'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    static const char *const endings[] = {".h5", NULL};
    const struct options options = {":o:h", list, read_option};
    const int code = options_read(argc, argv, &options, request, &request->switches);
    if (code != EXIT_GOOD || request->switches.help)
        return code;
    request->source = options_single(argc, argv, "result");
    if (!request->source || settings_append(&request->settings, &request->short_hands))
        return EXIT_ERROR;
    if (!request->prefix) /* _image: not the cubes of the run itself */
        request->prefix = output_name(request->source, endings, "_image");
    return request->prefix ? EXIT_GOOD : EXIT_ERROR;
}

/* The name of a run that would write the same cubes. */
static enum lr_status lock(lr_context *ctx, const struct request *request, lr_lock **lock)
{
    const size_t size = strlen(request->prefix) + sizeof ".h5";
    char *path = malloc(size);
    enum lr_status status = LR_ERROR_MEMORY;
    if (path) {
        snprintf(path, size, "%s.h5", request->prefix);
        status = lr_lock_take(ctx, path, lock);
    }
    free(path);
    return status;
}

static int trace(lr_context *ctx, const struct request *request, lr_scene **scene, lr_lock **held, lr_result **result)
{
    const struct settings *settings = &request->settings;
    struct lr_summary summary;
    struct json json = {.file = stdout, .first = true, .one_line = request->switches.one_line};
    char *cubes = NULL;
    if (lr_scene_load(ctx, request->source, (const char *const *)settings->texts, settings->n, scene) ||
        lr_scene_path_check(ctx, *scene, request->prefix) || lock(ctx, request, held) ||
        lr_scene_image(ctx, *scene, result) || lr_result_write_cubes(ctx, *result, request->prefix, &cubes))
        return message_error("%s", lr_last_error(ctx));
    LR_INIT(summary);
    lr_result_summary(*result, &summary);
    if (request->switches.json)
        summary_print_images_json(&json, &summary, request->source, cubes);
    else if (!request->switches.quiet)
        summary_print_images_text(stdout, &summary, cubes);
    lr_text_free(cubes);
    return command_print("");
}

static int image(const struct request *request)
{
    struct console console = console_create(request->switches.quiet);
    lr_context *ctx = console_context(&console);
    if (!ctx)
        return EXIT_ERROR;
    lr_context_on_progress(ctx, console_progress, &console);
    lr_scene *scene = NULL;
    lr_result *result = NULL;
    lr_lock *held = NULL;
    int code = trace(ctx, request, &scene, &held, &result);
    lr_lock_release(held);
    lr_result_free(result);
    lr_scene_free(scene);
    lr_context_free(ctx);
    return code;
}

int command_image(int argc, char **argv)
{
    struct request request = {.source = NULL};
    int code = read_request(argc, argv, &request);
    if (code == 0)
        code = request.switches.help ? command_print(help) : image(&request);
    request_free(&request);
    return code;
}
