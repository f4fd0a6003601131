#include "lines/builtin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/words.h"
#include "lines/lamda_read.h"
#include "lines/rotor.h"

enum { HIGHEST_J = 40, MAX_SMALL = 4 };

/* B, D, H in MHz, dipole moment in Debye, mass in atomic mass units (AME 2020). Dipole moments: CDMS (Mueller et al.
 * 2005, J. Mol. Struct. 742, 215). The constants are fits to CDMS frequencies, accurate to 6 kHz below 800 GHz; these
 * are based on:
 * - co     Winnewisser et al. 1997, J. Mol. Spectrosc. 184, 468
 * - 13co   Klapper et al. 2000, J. Mol. Spectrosc. 201, 124; Cazzoli et al. 2004, ApJ 611, 615
 * - c18o   the CDMS; H is that of co, scaled with the cube of B and rounded
 * - hco+   Tinti et al. 2007, ApJ 669, L113
 * - cs     Gottlieb et al. 2003, ApJ 588, 655
 * - sio    Mueller et al. 2013, J. Phys. Chem. A 117, 13843
 * - hcn    Ahrens et al. 2002, Z. Naturforsch. 57a, 669 */
static const struct {
    const char *name, *text;
    double b, d, h, dipole, mass;
} rotors[] = {
    {"co", "12C16O", 57635.96802, 0.18350489, 1.7168e-7, 0.11011, 27.9949146},
    {"13co", "13C16O", 55101.0126, 0.1676868, 1.521e-7, 0.11046, 28.9982694},
    {"c18o", "12C18O", 54891.4203, 0.166405, 1.48e-7, 0.11079, 29.9991596},
    {"hco+", "H12C16O+", 44594.4281, 0.082822, 0.0, 3.90, 29.0021911},
    {"cs", "12C32S", 24495.5586, 0.0400637, 6.5e-9, 1.958, 43.9720712},
    {"sio", "28Si16O", 21711.9855, 0.029876, 0.0, 3.0982, 43.9718411},
    {"hcn", "H12C14N", 44315.97545, 0.0872168, 8.67e-8, 2.985, 27.0108990},
};
enum { N_ROTOR = (int)(sizeof rotors / sizeof rotors[0]) };

/* Energies in Hz, frequencies in Hz, A in s^-1, as in model/line.c where both have a line. */
static const struct {
    const char *name, *text;
    double mass;
    int n_level, n_line;
    struct level level[MAX_SMALL];
    struct transition line[MAX_SMALL];
} small[] = {
    /* 2Pi3/2 J = 3/2, F and parity. Frequencies: ter Meulen & Dymanus 1972, ApJ 172, L21; they agree with levels to
     * 0.2 kHz. A: Destombes et al. 1977, A&A 60, 55. */
    {"oh18cm",
     "OH, the four lines at 18 cm",
     17.0027397,
     4,
     4,
     {{0.0, 3, "F=1-"}, {53.1708e6, 5, "F=2-"}, {1665.4018e6, 3, "F=1+"}, {1720.5300e6, 5, "F=2+"}},
     {{2, 1, 1.29e-11, 1612.2310e6},
      {2, 0, 7.11e-11, 1665.4018e6},
      {3, 1, 7.71e-11, 1667.3590e6},
      {3, 0, 9.42e-12, 1720.5300e6}}},
    /* NIST ASD: 121.56701 nm (multiplet mean). */
    {"lya",
     "H I Lyman alpha, 1s-2p",
     1.00782503,
     2,
     1,
     {{0.0, 2, "1s"}, {LR_LIGHT_SPEED / 121.56701e-7, 6, "2p"}},
     {{1, 0, 6.2649e8, LR_LIGHT_SPEED / 121.56701e-7}}},
    /* Cooksy et al. 1986, ApJ 305, L89; A: LAMDA. */
    {"cii",
     "C+ 158 um, 2P1/2-2P3/2",
     11.9994514,
     2,
     1,
     {{0.0, 2, "2P1/2"}, {1900.5369e9, 4, "2P3/2"}},
     {{1, 0, 2.300e-6, 1900.5369e9}}},
    /* Hellwig et al. 1970, IEEE Trans. Instrum. Meas. 19, 200; A: Gould 1994, ApJ 423, 522. */
    {"hi21",
     "H I 21 cm, F = 0-1",
     1.00782503,
     2,
     1,
     {{0.0, 1, "F=0"}, {1420.405751768e6, 3, "F=1"}},
     {{1, 0, 2.8843e-15, 1420.405751768e6}}},
};
enum { N_SMALL = (int)(sizeof small / sizeof small[0]) };

const char *builtin_name(int index)
{
    if (index < N_ROTOR)
        return rotors[index].name;
    return index < N_ROTOR + N_SMALL ? small[index - N_ROTOR].name : NULL;
}

const char *builtin_text(int index)
{
    if (index < N_ROTOR)
        return rotors[index].text;
    return index < N_ROTOR + N_SMALL ? small[index - N_ROTOR].text : NULL;
}

int builtin_find(const char *name, int *nearest)
{
    const char *names[N_ROTOR + N_SMALL];
    char lower[32];
    for (int i = 0; i < N_ROTOR + N_SMALL; i++)
        names[i] = builtin_name(i);
    *nearest = -1;
    if (strlen(name) >= sizeof lower)
        return -1;
    words_lower(name, lower, sizeof lower);
    return words_match(lower, names, N_ROTOR + N_SMALL, nearest);
}

const char *builtin_species(const char *name)
{
    static const char *const species[][2] = {
        {"co", "CO"},   {"13co", "13CO"}, {"c18o", "C18O"}, {"hco+", "HCO+"}, {"cs", "CS"},  {"sio", "SiO"},
        {"hcn", "HCN"}, {"oh18cm", "OH"}, {"lya", "H"},     {"cii", "C+"},    {"hi21", "H"},
    };
    for (size_t i = 0; i < sizeof species / sizeof *species; i++)
        if (strcmp(species[i][0], name) == 0)
            return species[i][1];
    return NULL;
}

static enum lr_status make_rotor(lr_context *ctx, int i, struct molecule *molecule)
{
    const double hz = 1e6; /* in a MHz */
    struct rotor rotor = {.b = rotors[i].b * hz,
                          .d = rotors[i].d * hz,
                          .h = rotors[i].h * hz,
                          .dipole = rotors[i].dipole * LR_DEBYE,
                          .mass = rotors[i].mass * LR_ATOMIC_MASS_UNIT,
                          .highest = HIGHEST_J};
    return rotor_make(ctx, rotors[i].name, &rotor, molecule);
}

static enum lr_status make_small(lr_context *ctx, int i, struct molecule *molecule)
{
    const size_t n_level = (size_t)small[i].n_level, n_line = (size_t)small[i].n_line;
    memset(molecule, 0, sizeof *molecule);
    LR_TRY(lr_allocate(ctx, n_level, sizeof *molecule->level, &molecule->level));
    enum lr_status status = lr_allocate(ctx, n_line, sizeof *molecule->line, &molecule->line);
    if (status != LR_OK) {
        molecule_free(molecule);
        return status;
    }
    snprintf(molecule->name, sizeof molecule->name, "%s", small[i].name);
    molecule->mass = small[i].mass * LR_ATOMIC_MASS_UNIT;
    molecule->n_level = small[i].n_level;
    molecule->n_line = small[i].n_line;
    memcpy(molecule->level, small[i].level, n_level * sizeof *molecule->level);
    memcpy(molecule->line, small[i].line, n_line * sizeof *molecule->line);
    for (size_t l = 0; l < n_level; l++)
        molecule->level[l].energy /= LR_LIGHT_SPEED;
    return LR_OK;
}

/* "co, 13co, ..." */
static void list_names(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; builtin_name(i) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", builtin_name(i));
}

static enum lr_status make(lr_context *ctx, int i, struct molecule *molecule)
{
    return i < N_ROTOR ? make_rotor(ctx, i, molecule) : make_small(ctx, i - N_ROTOR, molecule);
}

/* `name` is the requested name. */
static enum lr_status read_file(lr_context *ctx, const char *path, const char *name, struct molecule *molecule)
{
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
        return lamda_read(ctx, path, molecule);
    }
    int error = errno, nearest = -1;
    const int other = builtin_find(name, &nearest);
    char names[256], meant[64] = "";
    if (other >= 0)
        return make(ctx, other, molecule);
    if (nearest >= 0)
        snprintf(meant, sizeof meant, "; did you mean '%s'?", builtin_name(nearest));
    list_names(names, sizeof names);
    return lr_fail(ctx, LR_ERROR_IO, "%s: cannot open: %s; expected a LAMDA file or one of %s%s", path, strerror(error),
                   names, meant);
}

enum lr_status molecule_find(lr_context *ctx, const char *name, const char *folder, struct molecule *molecule)
{
    for (int i = 0; builtin_name(i); i++)
        if (strcmp(builtin_name(i), name) == 0)
            return make(ctx, i, molecule);
    if (!folder || !*folder || name[0] == '/')
        return read_file(ctx, name, name, molecule);
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = lr_new(ctx, size, 1);
    if (!path)
        return LR_ERROR_MEMORY;
    snprintf(path, size, "%s/%s", folder, name);
    enum lr_status status = read_file(ctx, path, name, molecule);
    free(path);
    return status;
}
