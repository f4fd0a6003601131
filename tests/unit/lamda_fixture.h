/* A small made-up LAMDA file with two partners, which tests change line by line. */
#ifndef LAMDA_FIXTURE_H
#define LAMDA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines/lamda_read.h"

/* Lines are numbered as in the comments; energies and frequencies are consistent: 10 cm^-1 = 299.792458 GHz. */
static const char LAMDA_TEXT[] = "!MOLECULE\n"                      /* 1 */
                                 "XY, made up\n"                    /* 2 */
                                 "!MASS\n"                          /* 3 */
                                 "30.0\n"                           /* 4 */
                                 "!N LEVELS\n"                      /* 5 */
                                 "3\n"                              /* 6 */
                                 "!LEVELS\n"                        /* 7 */
                                 "  1   0.0000  1.0  0\n"           /* 8 */
                                 "  2  10.0000  3.0  1\n"           /* 9 */
                                 "  3  30.0000  5.0  2\n"           /* 10 */
                                 "!N LINES\n"                       /* 11 */
                                 "2\n"                              /* 12 */
                                 "!LINES\n"                         /* 13 */
                                 "1 2 1 1.5e-06 299.792458 14.39\n" /* 14 */
                                 "2 3 2 2.5e-05 599.584916 43.16\n" /* 15 */
                                 "!N PARTNERS\n"                    /* 16 */
                                 "2\n"                              /* 17 */
                                 "!PARTNER\n"                       /* 18 */
                                 "2 XY-pH2 of nobody (2020)\n"      /* 19 */
                                 "!N COLLISIONS\n"                  /* 20 */
                                 "3\n"                              /* 21 */
                                 "!N TEMPERATURES\n"                /* 22 */
                                 "2\n"                              /* 23 */
                                 "!TEMPERATURES\n"                  /* 24 */
                                 "10.0 100.0\n"                     /* 25 */
                                 "!RATES\n"                         /* 26 */
                                 "1 2 1 1.0e-11 2.0e-11\n"          /* 27 */
                                 "2 3 1 3.0e-12 4.0e-12\n"          /* 28 */
                                 "3 3 2 5.0e-11 6.0e-11\n"          /* 29 */
                                 "!PARTNER\n"                       /* 30 */
                                 "4 XY-e, guessed\n"                /* 31 */
                                 "!N COLLISIONS\n"                  /* 32 */
                                 "1\n"                              /* 33 */
                                 "!N TEMPERATURES\n"                /* 34 */
                                 "1\n"                              /* 35 */
                                 "!TEMPERATURES\n"                  /* 36 */
                                 "50.0\n"                           /* 37 */
                                 "!RATES\n"                         /* 38 */
                                 "1 2 1 7.5e-07\n";                 /* 39 */

struct lamda_state {
    lr_context *ctx;
    struct molecule molecule;
    int n_warning;
    char warning[512];
};

static void count_warnings(void *user, enum lr_log_level level, const char *message)
{
    struct lamda_state *s = user;
    if (level != LR_LOG_WARNING)
        return;
    s->n_warning++;
    snprintf(s->warning, sizeof s->warning, "%s", message);
}

static int lamda_setup(void **state)
{
    struct lamda_state *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->ctx = lr_context_create();
    lr_context_on_log(s->ctx, count_warnings, s);
    *state = s;
    return 0;
}

static int lamda_teardown(void **state)
{
    struct lamda_state *s = *state;
    molecule_free(&s->molecule);
    lr_context_free(s->ctx);
    free(s);
    return 0;
}

/* Reads `text`, replacing the previous contents of the state. */
static enum lr_status lamda_try(struct lamda_state *s, const char *text, size_t size)
{
    molecule_free(&s->molecule);
    s->n_warning = 0;
    s->ctx->error[0] = '\0';
    return lamda_read_text(s->ctx, "xy.dat", text, size, &s->molecule);
}

#endif
