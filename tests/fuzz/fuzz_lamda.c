/* libFuzzer target: any bytes as a LAMDA file must give a complete molecule, or a one-line error. tests/fuzz/run builds
 * and runs it. Allocations are capped, so that a corrupted count that requests a lot of memory is found. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lines/lamda_read.h"

const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=32";
}

static void require(bool good)
{
    if (!good)
        abort();
}

static void require_text(const char *text, size_t size)
{
    require(memchr(text, 0, size) != NULL && !strchr(text, '\n'));
}

static void require_partner(const struct molecule *m, const struct partner *p)
{
    require(p->collider >= 1 && p->collider < N_COLLIDER && p->n_temperature > 0 && p->n_transition > 0);
    require_text(p->reference, sizeof p->reference);
    for (int t = 0; t < p->n_temperature; t++)
        require(p->temperature[t] > (t ? p->temperature[t - 1] : 0.0));
    for (int i = 0; i < p->n_transition; i++) {
        require(p->upper[i] >= 0 && p->upper[i] < m->n_level && p->lower[i] >= 0 && p->lower[i] < m->n_level);
        for (int t = 0; t < p->n_temperature; t++) {
            double rate = p->rate[(size_t)i * (size_t)p->n_temperature + (size_t)t];
            require(rate >= 0.0 && isfinite(rate));
        }
    }
}

static void require_whole(const struct molecule *m)
{
    require(m->mass > 0.0 && m->n_level >= 2 && m->n_line >= 1 && m->n_partner >= 0 && m->n_partner < N_COLLIDER);
    require_text(m->name, sizeof m->name);
    for (int i = 0; i < m->n_level; i++) {
        require(m->level[i].energy >= 0.0 && isfinite(m->level[i].energy) && m->level[i].weight > 0.0);
        require_text(m->level[i].label, sizeof m->level[i].label);
    }
    for (int i = 0; i < m->n_line; i++) {
        const struct transition *line = &m->line[i];
        require(line->upper >= 0 && line->upper < m->n_level && line->lower >= 0 && line->lower < m->n_level);
        require(line->a_ul >= 0.0 && isfinite(line->a_ul) && line->frequency > 0.0 && isfinite(line->frequency));
    }
    for (int p = 0; p < m->n_partner; p++)
        require_partner(m, &m->partner[p]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lr_context *ctx = lr_context_create();
    struct molecule molecule = {0};
    enum lr_status status = lamda_read_text(ctx, "fuzz.dat", (const char *)data, size, &molecule);
    if (status == LR_OK) {
        require_whole(&molecule);
    } else {
        const char *message = lr_last_error(ctx);
        require(message[0] != '\0' && !strchr(message, '\n') && !molecule.level);
    }
    molecule_free(&molecule);
    lr_context_free(ctx);
    return 0;
}
