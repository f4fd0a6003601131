#include "model/atom_group.h"

#include <stdio.h>
#include <string.h>

#include "base/constants.h"
#include "base/words.h"
#include "model/line.h"
#include "model/line_group.h"

/* Wavelengths in vacuum. Lines with the same number of a level share it; level 0 is the ground level, and only atoms
 * in it absorb. */
struct atom_line {
    const char *label;
    double angstrom, a_ul, g_lower, g_upper;
    int lower, upper;
    bool doublet; /* one of two lines from the ground level S_1/2 to P_1/2 and P_3/2, which scatter together */
};

enum { MOST_LINES = 4 };

struct atom_group {
    const char *name;
    double mass; /* atomic mass units, of the most abundant isotope: AME 2020 */
    struct atom_line line[MOST_LINES];
};

/* NIST Atomic Spectra Database, version 5. */
static const struct atom_group GROUPS[] = {
    {"lyman_alpha_fine",
     1.00782503,
     {{"K", 1215.66824, 6.2649e8, 2, 4, 0, 1, true}, {"H", 1215.67364, 6.2649e8, 2, 2, 0, 2, true}}},
    {"mgii", 23.98504170, {{"k", 2796.352, 2.60e8, 2, 4, 0, 1, true}, {"h", 2803.531, 2.57e8, 2, 2, 0, 2, true}}},
    {"civ", 12.0, {{"1548", 1548.187, 2.65e8, 2, 4, 0, 1, true}, {"1551", 1550.772, 2.64e8, 2, 2, 0, 2, true}}},
    {"nai", 22.98976928, {{"D2", 5891.5833, 6.16e7, 2, 4, 0, 1, true}, {"D1", 5897.5581, 6.14e7, 2, 2, 0, 2, true}}},
    {"cii1335",
     12.0,
     {{"1334.53", 1334.5323, 2.41e8, 2, 4, 0, 1, false},
      {"1335.66", 1335.6627, 4.76e7, 4, 4, 3, 1, false},
      {"1335.71", 1335.7077, 2.88e8, 4, 6, 3, 2, false}}},
    {"siii1190",
     27.97692653,
     {{"1193.29", 1193.2897, 2.69e9, 2, 2, 0, 1, false},
      {"1190.42", 1190.4158, 6.53e8, 2, 4, 0, 2, false},
      {"1194.50", 1194.5002, 3.45e9, 4, 4, 3, 2, false},
      {"1197.39", 1197.3938, 1.40e9, 4, 2, 3, 1, false}}},
    {"siii1260",
     27.97692653,
     {{"1260.42", 1260.4221, 2.57e9, 2, 4, 0, 1, false},
      {"1264.74", 1264.7377, 3.04e9, 4, 6, 3, 2, false},
      {"1265.00", 1265.0020, 4.73e8, 4, 4, 3, 1, false}}},
    {"siii1304",
     27.97692653,
     {{"1304.37", 1304.3702, 3.64e8, 2, 2, 0, 1, false}, {"1309.28", 1309.2757, 6.23e8, 4, 2, 3, 1, false}}},
    {"hei10833",
     4.00260325,
     {{"J=1-2", 10833.306, 1.0216e7, 3, 5, 0, 1, false},
      {"J=1-1", 10833.217, 1.0216e7, 3, 3, 0, 2, false},
      {"J=1-0", 10832.057, 1.0216e7, 3, 1, 0, 3, false}}},
};

enum { N_GROUP = sizeof GROUPS / sizeof *GROUPS, LYMAN_ALPHA = 0 };

/* Energies of hydrogen levels are proportional to the reduced mass of the electron: with CODATA 2018 ratios of masses,
 * (1 + m_e / m_p) / (1 + m_e / m_d). */
static const double DEUTERIUM_MASS = 2.01410178, DEUTERIUM_SHIFT = 1.00027210;

int atom_group_find(const char *name, int *nearest)
{
    const char *names[N_GROUP];
    char lower[64];
    for (int i = 0; i < N_GROUP; i++)
        names[i] = GROUPS[i].name;
    words_lower(name, lower, sizeof lower);
    return words_match(lower, names, N_GROUP, nearest);
}

const char *atom_group_name(int group)
{
    return GROUPS[group].name;
}

void atom_group_list(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < N_GROUP && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", GROUPS[i].name);
}

bool atom_group_has_deuterium(int group)
{
    return group == LYMAN_ALPHA;
}

static int count_lines(const struct atom_group *group)
{
    int n = 0;
    while (n < MOST_LINES && group->line[n].label)
        n++;
    return n;
}

/* All radiative rates out of the upper level. The lower levels live much longer. */
static double damping_rate(const struct atom_group *group, int upper)
{
    double gamma = 0.0;
    for (int i = 0; i < count_lines(group); i++)
        gamma += group->line[i].upper == upper ? group->line[i].a_ul : 0.0;
    return gamma;
}

/* The other line of a doublet is its neighbour in the list. */
static void fill_member(const struct atom_group *group, int i, double shift, struct line_member *member)
{
    const struct atom_line *line = &group->line[i];
    *member = (struct line_member){.offset = shift * group->line[0].angstrom / line->angstrom - 1.0,
                                   .a_ul = line->a_ul,
                                   .gamma = damping_rate(group, line->upper),
                                   .g_lower = line->g_lower,
                                   .g_upper = line->g_upper,
                                   .dipole_core = line_dipole_fraction(line->g_lower, line->g_upper),
                                   .upper = line->upper,
                                   .lower = line->lower,
                                   .line = -1,
                                   .abundance = line->lower == 0 ? 1.0 : 0.0,
                                   .mass = group->mass * LR_ATOMIC_MASS_UNIT,
                                   .partner = line->doublet ? 1 - i : -1};
    snprintf(member->label, sizeof member->label, "%s", line->label);
}

static void turn_into_deuterium(double abundance, int first, struct line_member *member)
{
    const char *label = member->partner == 1 ? "D K" : "D H";
    member->mass = DEUTERIUM_MASS * LR_ATOMIC_MASS_UNIT;
    member->abundance = abundance;
    member->partner += first;
    snprintf(member->label, sizeof member->label, "%s", label);
}

enum lr_status atom_group_make(lr_context *ctx, int group, double deuterium, struct line *first,
                               struct line_group *lines)
{
    const struct atom_group *from = &GROUPS[group];
    const int n = count_lines(from), copies = deuterium > 0.0 ? 2 : 1;
    enum { LEVELS = 2 * MOST_LINES };
    LR_TRY(lr_allocate(ctx, (size_t)(copies * n), sizeof *lines->member, &lines->member));
    lines->n = copies * n;
    for (int i = 0; i < n; i++)
        fill_member(from, i, 1.0, &lines->member[i]);
    for (int i = 0; copies > 1 && i < n; i++) {
        struct line_member *member = &lines->member[n + i];
        fill_member(from, i, DEUTERIUM_SHIFT, member);
        turn_into_deuterium(deuterium, n, member);
        member->upper += LEVELS;
        member->lower += LEVELS;
    }
    const struct line_member *member = lines->member;
    *first = (struct line){.nu0 = LR_LIGHT_SPEED / (1e-8 * from->line[0].angstrom),
                           .a_ul = member->a_ul,
                           .gamma = member->gamma,
                           .g_lower = member->g_lower,
                           .g_upper = member->g_upper,
                           .mass = member->mass,
                           .dipole_core = member->dipole_core};
    snprintf(first->name, sizeof first->name, "%s", from->name);
    return LR_OK;
}
