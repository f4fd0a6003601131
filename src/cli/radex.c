/* linerad radex */
#include "radex.h"

#include <math.h>

#include "command.h"
#include "message.h"

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
    "  --geometry NAME      sphere, lvg, slab, expansion or layer (sphere)\n"
    "  --overlap            lines that overlap, as in hyperfine structure, see each other's light (off)\n"
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

static int solve_models(const struct radex_request *request, struct radex_block *block)
{
    const int64_t models = count_models(request);
    struct tally tally = {0, 0, 0};
    if (models < 0)
        return message_error("the grid has more than 1e15 models");
    for (int64_t start = 0; start < models; start += RADEX_BLOCK) {
        const int64_t left = models - start;
        const int code = radex_block_solve(request, start, left < RADEX_BLOCK ? left : RADEX_BLOCK, block);
        if (code != EXIT_GOOD)
            return code;
        lr_context_on_log(request->ctx, NULL, NULL); /* it would repeat itself for every block */
        if (start == 0)
            radex_write_start(request, stdout);
        radex_write_block(request, block, start == 0, stdout);
        count_flags(block, &tally);
    }
    radex_write_end(request, stdout);
    warn(&tally, models);
    return command_print("");
}

/* Says if two of the lines to be shown are closer than the width of the widest line. */
static void tell_of_overlap(const struct radex_request *request, const struct radex_block *block)
{
    const double light_speed = 2.99792458e10; /* cm/s */
    double width = 0.0;
    for (int i = 0; i < request->width.n; i++)
        width = request->width.values[i] > width ? request->width.values[i] : width;
    for (int i = 1; i < block->n_shown && !request->overlap; i++) {
        struct lr_line one = {.size = sizeof one}, other = {.size = sizeof other};
        lr_molecule_line(block->molecule, block->shown[i - 1], &one);
        lr_molecule_line(block->molecule, block->shown[i], &other);
        const double apart = fabs(other.frequency / one.frequency - 1.0) * light_speed;
        if (apart < width) {
            message_warning(
                "lines overlap (%.6f and %.6f GHz are %.2g km/s apart); with --overlap they see each other's light",
                1e-9 * one.frequency, 1e-9 * other.frequency, 1e-5 * apart);
            return;
        }
    }
}

static int solve_request(const struct radex_request *request)
{
    lr_molecule *molecule = NULL;
    struct radex_block block;
    if (lr_molecule_load(request->ctx, request->molecule, &molecule) != LR_OK)
        return message_error("%s", lr_last_error(request->ctx));
    int code = radex_block_create(request, molecule, &block);
    if (code == EXIT_GOOD)
        code = radex_choose_lines(request, &block);
    if (code == EXIT_GOOD) {
        tell_of_overlap(request, &block);
        code = solve_models(request, &block);
    }
    radex_block_free(&block);
    lr_molecule_free(molecule);
    return code;
}

int command_radex(int argc, char **argv)
{
    struct console console = console_create(false);
    struct radex_request request = {.ctx = console_context(&console)};
    if (!request.ctx)
        return EXIT_ERROR;
    int code = radex_request_read(argc, argv, &request);
    console.quiet = request.switches.quiet;
    if (code == EXIT_GOOD)
        code = request.switches.help ? command_print(help) : solve_request(&request);
    radex_request_free(&request);
    lr_context_free(request.ctx);
    return code;
}
