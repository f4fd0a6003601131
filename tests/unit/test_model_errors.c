/* Bad models: each mistake gives one line that names its position and what to write instead. */
#define _POSIX_C_SOURCE 200809L
#include "model_fixture.h"

#include <unistd.h>

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

struct mistake {
    const char *setting, *message;
};

static void expect_all(struct fixture *f, const struct mistake *mistakes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_error(f, BASE, mistakes[i].setting, mistakes[i].message);
}

#define EXPECT_ALL(state, mistakes) expect_all(*(state), mistakes, sizeof(mistakes) / sizeof(mistakes)[0])

/* BASE with one line changed. */
static void expect_line_error(struct fixture *f, const char *from, const char *to, const char *message)
{
    char text[1024];
    const char *place = strstr(BASE, from);
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - BASE), BASE, to, place + strlen(from));
    expect_error(f, text, NULL, message);
}

static void messages_name_file_line_and_column(void **state)
{
    struct fixture *f = *state;
    expect_line_error(f, "1e4 K", "1e4",
                      "m.yaml:6:16: medium.temperature: '1e4' has no unit; write for example '1e4 K'");
    expect_line_error(f, "1e4 K", "1e4 pc",
                      "m.yaml:6:16: medium.temperature: '1e4 pc' is not a temperature; write for example '1e4 K'");
    expect_line_error(f, "  temperature", "  temprature",
                      "m.yaml:6:3: medium.temprature: unknown key; did you mean 'temperature'?");
    expect_line_error(f, "  temperature", "  hue",
                      "m.yaml:6:3: medium.hue: unknown key; valid here: temperature, b, turbulence, density, opacity, "
                      "tau_mean, damping, tau_centre, absorption, upper_density, velocity, destruction, "
                      "tau_absorption, abundance, colliders, collider_rates, dust_temperature");
    expect_line_error(f, "1e-3 cm^-3", "-1e-3 cm^-3", "m.yaml:7:12: medium.density: '-1e-3 cm^-3' is negative");
    expect_line_error(f, "medium:\n", "medium:\n  b: 1 km/s\n",
                      "m.yaml:6:6: medium.b: 'temperature' is also given; remove one of them");
    expect_line_error(
        f, "line: lya", "line: lyman",
        "m.yaml:4:7: line: 'lyman' is not a known line (lya, hi21, co10, hcop10, cii158, oh1665) or group of lines "
        "(lyman_alpha_fine, mgii, civ, nai, cii1335, siii1190, siii1260, siii1304, hei10833); or give a molecule, a "
        "rotor, or frequency, einstein_a, degeneracies and mass");
    expect_line_error(
        f, "line: lya", "line: CO01",
        "m.yaml:4:7: line: 'CO01' is not a known line (lya, hi21, co10, hcop10, cii158, oh1665) or group "
        "of lines (lyman_alpha_fine, mgii, civ, nai, cii1335, siii1190, siii1260, siii1304, hei10833); did "
        "you mean 'co10'?");
    expect_line_error(f, "line: lya", "line: HCO+",
                      "m.yaml:4:7: line: 'HCO+' is a molecule with many lines; write line: {molecule: hco+, "
                      "transition: 1}, with a number or a label that 'linerad molecule hco+' lists");
    expect_line_error(f, "    luminosity: 1 photon/s\n", "",
                      "m.yaml:9:5: sources.0: expected one of 'luminosity', found 0");
    expect_line_error(f, "line: lya\n", "", "m.yaml:1:1: the key 'line' is missing");
    expect_line_error(f, "1e5", "0", "m.yaml:12:16: run.packets: '0' must lie between 1 and 1e+13");
    expect_line_error(f, "line: lya", "line: ly\xe9", "m.yaml:4: not UTF-8 text");
}

static void no_source(void **state)
{
    struct fixture *f = *state;
    expect_error(f, "mesh: {cells: [1, 1, 1], size: [1 pc, 1 pc, 1 pc]}\nline: lya\nmedium: {b: 1 km/s, tau_mean: 1}\n",
                 NULL, "m.yaml:1:1: the key 'sources' is missing");
    expect_error(f, BASE, "sources=[]", "--set sources: the list of sources is empty");
    expect_error(f, BASE, "sources=~", "--set sources: the list of sources is empty");
    expect_error(f, BASE, "sources.0.luminosity=0 photon/s",
                 "m.yaml:9:5: sources: the sources emit nothing: the total luminosity is 0 photon/s");
}

static void mesh_mistakes(void **state)
{
    const struct mistake mistakes[] = {
        {"mesh.cells=[4, 2]", "--set mesh.cells: expected three numbers of cells, found 2"},
        {"mesh.cells.1=0", "--set mesh.cells.1: '0' must lie between 1 and 1048576"},
        {"mesh.cells.1=2.5", "--set mesh.cells.1: '2.5' is not a whole number"},
        {"mesh.cells=[2000, 2000, 2000]",
         "--set mesh.cells: 2000 x 2000 x 2000 cells are too many; the maximum is 2147483647"},
        {"mesh.size.0=0 pc", "m.yaml:3:10: mesh.size: the size along x must be above zero"},
        {"mesh.size=1 pc", "--set mesh.size: expected a list [...], found a single value"},
        {"mesh.edges={x: [0 pc, 1 pc]}", "m.yaml:2:11: mesh.cells: 'edges' is also given; remove one of them"},
        {"mesh={edges: {x: [0 pc, 2 pc, 1 pc], y: [0 pc, 1 pc], z: [0 pc, 1 pc]}}",
         "--set mesh: mesh.edges: the edges along x do not increase from 1 to 2"},
        {"mesh={edges: {x: [0 pc], y: [0 pc, 1 pc], z: [0 pc, 1 pc]}}",
         "--set mesh: mesh.edges.x: edges need between 2 and 1048577 values"},
        {"mesh.origin=[1e30 pc, 0 pc, 0 pc]", "m.yaml:2:3: mesh: the edges along x do not increase from 0 to 1"},
        {"mesh.faces=closed", "--set mesh.faces: 'closed' is not one of: open, periodic, reflecting"},
        {"mesh.faces={x-: periodic}", "--set mesh.faces: x is periodic on one side only; write 'x: periodic'"},
        {"mesh.faces={x: open, x+: open}", "--set mesh.faces: mesh.faces.x+: 'x' already sets this face"},
        {"mesh.faces=periodic", "--set mesh.faces: no face is open and nothing absorbs, so photons would never leave"},
    };
    EXPECT_ALL(state, mistakes);
}

static void medium_mistakes(void **state)
{
    const struct mistake mistakes[] = {
        {"medium={temperature: 1e4 K}",
         "--set medium: one of 'density', 'opacity', 'tau_mean' and 'tau_centre' is missing"},
        {"medium={density: 1 cm^-3}", "--set medium: 'temperature' or the Doppler parameter 'b' is missing"},
        {"medium={b: 0 km/s, tau_mean: 1}", "--set medium: medium.b: '0 km/s' must be above zero"},
        {"medium={b: 4e5 km/s, tau_mean: 1}", "--set medium: medium.b: '4e5 km/s' is too large"},
        {"medium.temperature=0 K", "--set medium.temperature: the Doppler parameter b in cm/s is 0 at cell [0, 0, 0]"},
        {"medium.temperature={default: 1 K, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 0 K}]}",
         "--set medium.temperature: the Doppler parameter b in cm/s is 0 at cell [2, 0, 0]"},
        {"medium={temperature: 1 K, tau_mean: 1, tau_centre: 1}",
         "--set medium: medium.tau_centre: 'tau_mean' is also given; remove one of them"},
        {"medium={temperature: 1 K, density: 1 cm^-3, opacity: 1 1/pc}",
         "--set medium: medium.opacity: 'density' is also given; remove one of them"},
        {"medium={b: 1 km/s, turbulence: 1 km/s, opacity: 1 1/pc}",
         "--set medium: medium.turbulence: 'b' is also given; remove one of them"},
        {"medium={b: 1 km/s, opacity: 0 1/pc, tau_mean: 1}",
         "--set medium: medium.tau_mean: cannot scale the opacity: the optical depth from the centre of the mesh to "
         "its +x face is 0"},
        {"medium={b: 1 km/s, opacity: 1 1/pc, upper_density: 1 cm^-3}",
         "--set medium: medium.upper_density: this needs 'density', the density of the lower level"},
        {"medium.upper_density={default: 0 cm^-3, regions: [{slab: {axis: z, from: 0 pc, to: 1 pc}, value: 1 cm^-3}]}",
         "--set medium.upper_density: the level populations are inverted (a maser) at cell [0, 0, 1]"},
        {"medium.tau_mean=-1", "--set medium.tau_mean: '-1' must be at least 0"},
        {"medium.tau_mean=1 pc", "--set medium.tau_mean: '1 pc' is not a plain number; write for example '1'"},
        {"medium.damping=-1", "--set medium.damping: '-1' is negative"},
        {"medium.destruction=1.5", "--set medium.destruction: '1.5' is too large"},
        {"medium.velocity=[0 km/s, 0 km/s]", "--set medium.velocity: expected three components [x, y, z], found 2"},
        {"medium.velocity=[0 km/s, 4e5 km/s, 0 km/s]",
         "--set medium.velocity: medium.velocity.1: '4e5 km/s' is too large"},
        {"medium.absorption=1 pc",
         "--set medium.absorption: '1 pc' is not an opacity (1/length); write for example '1 1/pc'"},
        {"medium.density=nan cm^-3",
         "--set medium.density: 'nan cm^-3' is not a finite number with a unit; write for example '1 cm^-3'"},
        {"medium.density=[1 cm^-3]",
         "--set medium.density: expected a value, {file, dataset}, {formula} or {default, regions}, found a list"},
        {"medium.density={default: 1 cm^-3}", "--set medium.density: the key 'regions' is missing"},
        {"medium.density={default: 1 cm^-3, regions: [{value: 2 cm^-3}]}",
         "--set medium.density: medium.density.regions.0: a region needs one of: box, sphere, shell, slab"},
        {"medium.density={default: 1 cm^-3, regions: [{sphere: {centre: [0 pc, 0 pc, 0 pc], radius: 0 pc}, value: 1 "
         "cm^-3}]}",
         "--set medium.density: medium.density.regions.0.sphere: the radius must be above zero"},
        {"medium.density={default: 1 cm^-3, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: -2 cm^-3}]}",
         "--set medium.density: medium.density.regions.0.value: '-2 cm^-3' is negative"},
        {"medium.density={default: 1 cm^-3, regions: [{slab: {axis: w, from: 0 pc, to: 1 pc}, value: 2 cm^-3}]}",
         "--set medium.density: medium.density.regions.0.slab.axis: 'w' is not one of: x, y, z"},
    };
    EXPECT_ALL(state, mistakes);
}

static void source_mistakes(void **state)
{
    const struct mistake mistakes[] = {
        {"sources.0.point.position=[2 pc, 0 pc, 0 pc]",
         "--set sources.0.point.position: the source lies outside the mesh"},
        {"sources.0.plane={axis: x, at: 0 pc}", "--set sources.0.plane: a source has one kind; 'point' is also given"},
        {"sources.0={plane: {axis: x, at: 9 pc}}",
         "--set sources.0: sources.0.plane.at: the plane lies outside the mesh"},
        {"sources.0={plane: {axis: x, at: 0 pc, emission: lambertian}}",
         "--set sources.0: sources.0.plane: the key 'direction' is missing"},
        {"sources.0={plane: {axis: x, at: 0 pc, emission: lambertian, direction: +y}}",
         "--set sources.0: sources.0.plane.direction: a Lambertian plane must face +x or -x"},
        {"sources.0={plane: {axis: x, at: 0 pc, direction: +x}}",
         "--set sources.0: sources.0.plane.direction: isotropic emission has no direction"},
        {"sources.0={point: {position: [0 pc, 0 pc, 0 pc], emission: beam, direction: [0, 0, 0]}}",
         "--set sources.0: sources.0.point.direction: a direction must not be zero"},
        {"sources.0={spectrum: local}",
         "--set sources.0: a source must be one of: point, plane, volume, external, packets, thermal, gas, star"},
        {"sources.0={volume: {}, luminosity: 1 photon/s}", "--set sources.0: the key 'spectrum' is missing"},
        {"sources.0={volume: {emissivity: 0}}",
         "--set sources.0: sources.0.volume.emissivity: the emissivity is zero everywhere"},
        {"sources.0={volume: {emissivity: {default: 1 W, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 1 "
         "kW}]}}}",
         "--set sources.0: sources.0.volume.emissivity.regions.0.value: '1 kW' must have the same unit as the default "
         "'1 W'"},
        {"sources.0.flux=1 photon/s/cm^2",
         "--set sources.0.flux: only plane and external sources have a flux; give 'luminosity'"},
        {"sources.0.luminosity=1", "--set sources.0.luminosity: '1' has no unit; write for example '1 photon/s'"},
        {"sources.0.luminosity=-1 photon/s", "--set sources.0.luminosity: '-1 photon/s' is negative or too large"},
        {"sources.0.spectrum={monochromatic: 3 pc}",
         "--set sources.0.spectrum: sources.0.spectrum.monochromatic: '3 pc' is not a frequency; write a plain number "
         "(Doppler units, blue positive), a velocity such as '3 km/s' (red positive) or a frequency such as '115.27 "
         "GHz'"},
        {"sources.0.spectrum={monochromatic: -4e5 km/s}",
         "--set sources.0.spectrum: sources.0.spectrum.monochromatic: '-4e5 km/s' is offset from the line by more than "
         "the speed of light"},
        {"sources.0.spectrum={gaussian: {centre: 0}}",
         "--set sources.0.spectrum: sources.0.spectrum.gaussian: 'sigma' or 'fwhm' is missing"},
        {"sources.0.spectrum={gaussian: {sigma: 0}}", "--set sources.0.spectrum: sources.0.spectrum.gaussian.sigma: "
                                                      "'0' must be a width above zero and below the speed "
                                                      "of light"},
        {"sources.0.spectrum={band: {from: 1, to: 1}}",
         "--set sources.0.spectrum: sources.0.spectrum.band: the band has zero width"},
        {"sources.0.spectrum={table: {shift: [0, 1, 1], density: [1, 1, 1]}}",
         "--set sources.0.spectrum: sources.0.spectrum.table: the shifts of a table must all increase or all decrease"},
        {"sources.0.spectrum={table: {shift: [0, 1], density: [1, -1]}}",
         "--set sources.0.spectrum: sources.0.spectrum.table: the density -1 is not a finite number of zero or more"},
        {"sources.0.spectrum={table: {shift: [0, 1], density: [0, 0]}}",
         "--set sources.0.spectrum: sources.0.spectrum.table: the densities sum to 0"},
        {"sources.0.spectrum={local: {}, frame: mesh}",
         "--set sources.0.spectrum: sources.0.spectrum.frame: a local spectrum is always in the frame of the gas"},
        {"sources.0.spectrum={lokal: {}}",
         "--set sources.0.spectrum: sources.0.spectrum.lokal: unknown key; did you mean 'local'?"},
    };
    EXPECT_ALL(state, mistakes);
}

static void option_mistakes(void **state)
{
    const struct mistake mistakes[] = {
        {"run.packets=-5", "--set run.packets: '-5' must lie between 1 and 1e+13"},
        {"run.packets=1.5", "--set run.packets: '1.5' is not a whole number"},
        {"run.packets=many", "--set run.packets: 'many' is not a finite number; write for example '1'"},
        {"run.pakets=1", "--set run.pakets: unknown key; did you mean 'packets'?"},
        {"run.device=gpu",
         "--set run.device: 'gpu' is not one of: auto, cpu, cuda, cuda:N, cuda:all, or a list such as cuda:0,1"},
        {"run.device=cuda:x",
         "--set run.device: 'cuda:x' is not one of: auto, cpu, cuda, cuda:N, cuda:all, or a list such as cuda:0,1"},
        {"run.device=cuda:0,",
         "--set run.device: 'cuda:0,' is not one of: auto, cpu, cuda, cuda:N, cuda:all, or a list such as cuda:0,1"},
        {"run.precision=single", "--set run.precision: 'single' is not one of: mixed, double"},
        {"physics.redistribution=exakt",
         "--set physics.redistribution: 'exakt' is not one of: exact, table-global, table-constant, approximate-voigt, "
         "complete"},
        {"physics.recoil=yes", "--set physics.recoil: 'yes' is not one of: false, true"},
        {"output.bins=0", "--set output.bins: '0' must lie between 1 and 1000000"},
        {"output.range=[1, 1]", "--set output.range: the range is empty"},
        {"output.range=[1]", "--set output.range: expected two ends [from, to], found 1"},
        {"output.reference_b=0 km/s",
         "--set output.reference_b: '0 km/s' must be above zero and below the speed of light"},
        {"outptu.bins=5", "--set outptu.bins: outptu: unknown key; did you mean 'output'?"},
        {"line={frequency: 1 GHz}", "--set line: the key 'einstein_a' is missing"},
        {"line={frequency: 1 GHz, einstein_a: 1 1/s, degeneracies: [1], mass: 1 u}",
         "--set line: line.degeneracies: expected two numbers [lower, upper], found 1"},
        {"line={frequency: -1 GHz}", "--set line: line.frequency: '-1 GHz' must be above zero"},
    };
    EXPECT_ALL(state, mistakes);
}

static void constant_tables_refuse_a_varying_damping(void **state)
{
    struct fixture *f = *state;
    const char *const settings[] = {
        "medium.temperature={default: 1e4 K, regions: [{slab: {axis: x, from: 0 pc, to: 1 pc}, value: 2e4 K}]}",
        "physics.redistribution=table-constant", NULL};
    assert_int_equal(load_text(f, BASE, settings), LR_ERROR_INPUT);
    assert_string_equal(lr_last_error(f->ctx),
                        "--set physics.redistribution: 'table-constant' needs a single damping parameter, but it "
                        "varies over this mesh; use 'exact' or 'table-global', or give one value for medium.damping");
}

static void overflow_is_an_error(void **state)
{
    struct fixture *f = *state;
    const char *const settings[] = {"medium.density=1e44 cm^-3",
                                    "line={frequency: 1 Hz, einstein_a: 1e20 1/s, degeneracies: [1, 1], mass: 1 u}",
                                    NULL};
    assert_int_equal(load_text(f, BASE, settings), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(f->ctx), "m.yaml:6:3: medium: the line-centre opacity in 1/cm is "));
    assert_non_null(strstr(lr_last_error(f->ctx), " at cell [0, 0, 0], above the limit of "));
}

static void unreadable_model_files(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(lr_model_load(f->ctx, "no_such_model.yaml", NULL, 0, &f->model), LR_ERROR_IO);
    assert_string_equal(lr_last_error(f->ctx), "no_such_model.yaml: No such file or directory");
    assert_int_equal(lr_model_load(f->ctx, ".", NULL, 0, &f->model), LR_ERROR_IO);
    assert_string_equal(lr_last_error(f->ctx), ".: Is a directory");
    FILE *file = fopen("test_binary.yaml", "wb");
    fwrite("a: \0", 1, 4, file);
    fclose(file);
    assert_int_equal(lr_model_load(f->ctx, "test_binary.yaml", NULL, 0, &f->model), LR_ERROR_INPUT);
    assert_string_equal(lr_last_error(f->ctx), "test_binary.yaml: not a text file");
    unlink("test_binary.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(messages_name_file_line_and_column),
        RUN(no_source),
        RUN(mesh_mistakes),
        RUN(medium_mistakes),
        RUN(source_mistakes),
        RUN(option_mistakes),
        RUN(constant_tables_refuse_a_varying_damping),
        RUN(overflow_is_an_error),
        RUN(unreadable_model_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
