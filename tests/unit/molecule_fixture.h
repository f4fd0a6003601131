/* A small made-up molecule: four levels not sorted by energy, three lines, two collision partners. */
#ifndef LR_TESTS_MOLECULE_FIXTURE_H
#define LR_TESTS_MOLECULE_FIXTURE_H

#include <string.h>

#include "base/constants.h"
#include "lines/molecule.h"

enum { FIXTURE_LEVELS = 4, FIXTURE_LINES = 3, FIXTURE_PAIRS = 5 };

struct molecule_fixture {
    struct molecule molecule;
    struct level level[FIXTURE_LEVELS];
    struct transition line[FIXTURE_LINES];
    struct partner partner[2];
    double temperature[3];
    int upper[FIXTURE_PAIRS], lower[FIXTURE_PAIRS];
    double rate[2][FIXTURE_PAIRS * 3];
};

/* Energies 0, 4, 12 and 11.9 cm^-1; every pair but 2-3 has rates, 1e-11 (pair + 1) times 1, 2, 4 at 10, 20 and 50 K. */
static inline void molecule_fixture_init(struct molecule_fixture *f, enum collider first, enum collider second)
{
    static const double energy[FIXTURE_LEVELS] = {0, 4, 12, 11.9};
    static const double weight[FIXTURE_LEVELS] = {1, 3, 5, 3};
    static const int upper[FIXTURE_PAIRS] = {1, 2, 3, 2, 3};
    static const int lower[FIXTURE_PAIRS] = {0, 1, 0, 0, 1};
    static const double a_ul[FIXTURE_LINES] = {7e-8, 7e-7, 2e-6};
    memset(f, 0, sizeof *f);
    for (int i = 0; i < FIXTURE_LEVELS; i++)
        f->level[i] = (struct level){.energy = energy[i], .weight = weight[i]};
    for (int i = 0; i < FIXTURE_LINES; i++)
        f->line[i] = (struct transition){.upper = upper[i],
                                         .lower = lower[i],
                                         .a_ul = a_ul[i],
                                         .frequency = LR_LIGHT_SPEED * (energy[upper[i]] - energy[lower[i]])};
    memcpy(f->upper, upper, sizeof upper);
    memcpy(f->lower, lower, sizeof lower);
    f->temperature[0] = 10;
    f->temperature[1] = 20;
    f->temperature[2] = 50;
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < FIXTURE_PAIRS * 3; i++)
            f->rate[p][i] = 1e-11 * (p + 1) * (i / 3 + 1) * (1 << i % 3);
        f->partner[p] = (struct partner){.collider = p ? second : first,
                                         .n_temperature = 3,
                                         .temperature = f->temperature,
                                         .n_transition = FIXTURE_PAIRS,
                                         .upper = f->upper,
                                         .lower = f->lower,
                                         .rate = f->rate[p]};
    }
    f->molecule = (struct molecule){.name = "fixture",
                                    .mass = 28 * LR_ATOMIC_MASS_UNIT,
                                    .n_level = FIXTURE_LEVELS,
                                    .n_line = FIXTURE_LINES,
                                    .n_partner = 2,
                                    .level = f->level,
                                    .line = f->line,
                                    .partner = f->partner};
}

#endif
