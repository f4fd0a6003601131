/* LAMDA files: what is read, the quirks of real files, and files that are truncated or corrupted. */
#include "lamda_fixture.h"

#include "base/constants.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, lamda_setup, lamda_teardown)

/* LAMDA_TEXT with line `number` (from 1) replaced by `line`, which may be several lines or, with "", none. */
static char *lamda_with(int number, const char *line)
{
    const char *start = LAMDA_TEXT;
    for (int i = 1; i < number; i++)
        start = strchr(start, '\n') + 1;
    const char *rest = strchr(start, '\n') + 1;
    size_t size = sizeof LAMDA_TEXT + strlen(line) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s%s", (int)(start - LAMDA_TEXT), LAMDA_TEXT, line, *line ? "\n" : "", rest);
    return text;
}

/* `text` with `line` put in before `place`, or at the end. */
static char *lamda_insert(const char *text, const char *place, const char *line)
{
    const char *at = place ? strstr(text, place) : text + strlen(text);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(line) + 1;
    char *whole = malloc(size);
    assert_non_null(whole);
    snprintf(whole, size, "%.*s%s%s", (int)(at - text), text, line, at);
    return whole;
}

static enum lr_status lamda_try_with(struct lamda_state *s, int number, const char *line)
{
    char *text = lamda_with(number, line);
    enum lr_status status = lamda_try(s, text, strlen(text));
    free(text);
    return status;
}

static void expect_good(struct lamda_state *s, enum lr_status status)
{
    if (status != LR_OK)
        fail_msg("%s", lr_last_error(s->ctx));
}

/* All of LAMDA_TEXT, whatever was changed about its form. */
static void expect_xy(const struct molecule *m)
{
    assert_int_equal(m->n_level, 3);
    assert_int_equal(m->n_line, 2);
    assert_int_equal(m->n_partner, 2);
    assert_true(m->mass == 30.0 * LR_ATOMIC_MASS_UNIT && m->lowest == 0.0);
    const double energy[] = {0.0, 10.0, 30.0};
    for (int i = 0; i < 3; i++)
        assert_true(m->level[i].energy == energy[i] && m->level[i].weight == 2.0 * i + 1.0);
    assert_true(m->line[0].upper == 1 && m->line[0].lower == 0 && m->line[0].a_ul == 1.5e-6);
    assert_true(m->line[1].upper == 2 && m->line[1].lower == 1 && m->line[1].a_ul == 2.5e-5);
    assert_true(fabs(m->line[1].frequency / 599.584916e9 - 1.0) < 1e-14);
    const struct partner *p = &m->partner[0];
    assert_true(p->collider == COLLIDER_PARA_H2 && p->n_temperature == 2 && p->n_transition == 3);
    assert_true(p->temperature[0] == 10.0 && p->temperature[1] == 100.0);
    const double rate[] = {1e-11, 2e-11, 3e-12, 4e-12, 5e-11, 6e-11};
    const int upper[] = {1, 2, 2}, lower[] = {0, 0, 1};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(p->rate[i] / rate[i] - 1.0) < 1e-14);
    for (int i = 0; i < 3; i++)
        assert_true(p->upper[i] == upper[i] && p->lower[i] == lower[i]);
    p = &m->partner[1];
    assert_true(p->collider == COLLIDER_ELECTRON && p->n_temperature == 1 && p->n_transition == 1);
    assert_true(p->temperature[0] == 50.0 && p->upper[0] == 1 && p->lower[0] == 0 && p->rate[0] == 7.5e-7);
}

static void everything_is_read(void **state)
{
    struct lamda_state *s = *state;
    expect_good(s, lamda_try(s, LAMDA_TEXT, strlen(LAMDA_TEXT)));
    expect_xy(&s->molecule);
    assert_string_equal(s->molecule.name, "XY, made up");
    assert_string_equal(s->molecule.level[2].label, "2");
    assert_string_equal(s->molecule.partner[0].reference, "XY-pH2 of nobody (2020)");
    assert_string_equal(s->molecule.partner[1].reference, "XY-e, guessed");
    assert_int_equal(s->n_warning, 0);
}

/* Each entry is a quirk of a real file that does not affect the data. */
static void habits_of_real_files_change_nothing(void **state)
{
    struct lamda_state *s = *state;
    const struct {
        int line;
        const char *text;
    } habits[] = {
        {1, "MOLECULE, without a mark"},
        {11, "12 looks like a count, but stands where a header is"},
        {4, "30.0   amu, roughly"},
        {6, "3 (of very many)"},
        {6, "\t3\t"},
        {9, "2\t10.0000\t3.0\t1"},
        {9, "2 10.0000 3.0"},
        {9, "2 10.0000 3.0 \"1 0 1\" and more 17 8"},
        {9, "2 1.0D1 3.0d0 1"},
        {9, "2 +1.0E+01 3 1"},
        {9, "2 10. 3. 1"},
        {14, "1 2 1 1.5D-06 299.792458"},
        {14, "1 2 1 1.5-6 299.792458 14.39 3 4 5"},
        {14, "\n   \n1 2 1 1.5e-06 299.792458 not a number"},
        {15, "7 3 2 2.5e-05 599.584916"},
        {19, "2  XY + p-H2"},
        {19, "2: XY-pH2"},
        {19, "2"},
        {25, "10.0\t100.0\tK"},
        {27, "1 2 1 1.0e-11 2.0e-11 9.9e-11"},
        {27, "\n1 2 1 1.0e-11\t2.0D-11"},
        {29, "3 3 2 .5e-10 0.6E-010"},
        {39, "1 2 1 7.5e-07\n!NOTES\n!2 3 1 is\n1 2 3\nnot read"},
        {39, "1 2 1 7.5e-07\n\n\n\n"},
    };
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++) {
        expect_good(s, lamda_try_with(s, habits[i].line, habits[i].text));
        expect_xy(&s->molecule);
        assert_int_equal(s->n_warning, 0);
    }
}

static void line_ends_of_other_systems(void **state)
{
    struct lamda_state *s = *state;
    char text[2 * sizeof LAMDA_TEXT];
    size_t n = 0;
    for (const char *c = LAMDA_TEXT; *c; c++) {
        if (*c == '\n')
            text[n++] = '\r';
        text[n++] = *c;
    }
    expect_good(s, lamda_try(s, text, n));
    expect_xy(&s->molecule);
    assert_string_equal(s->molecule.name, "XY, made up");
    assert_string_equal(s->molecule.level[1].label, "1");
}

static void labels_lose_quotes_and_extra_blanks(void **state)
{
    struct lamda_state *s = *state;
    const char *const labels[][2] = {
        {"\" 01 \"", "01"}, {"3/2 1-  2PI3/2", "3/2 1- 2PI3/2"}, {"\"1_0_1\"", "1_0_1"}, {"", ""}, {"\" \"", ""}};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "2 10.0000 3.0 \t%s ", labels[i][0]);
        expect_good(s, lamda_try_with(s, 9, line));
        assert_string_equal(s->molecule.level[1].label, labels[i][1]);
    }
    expect_good(s, lamda_try_with(s, 9, "2 10. 3. 0123456789012345678901234567890123456789abc"));
    assert_string_equal(s->molecule.level[1].label, "012345678901234567890123456789012345678");
    /* Byte 39 is the first half of a letter. */
    expect_good(s, lamda_try_with(s, 9, "2 10. 3. 01234567890123456789012345678901234567\xc3\xa9"));
    assert_string_equal(s->molecule.level[1].label, "01234567890123456789012345678901234567");
}

/* Files of one species, such as ortho-H2O, measure energies from a level that they do not contain. */
static void energies_count_from_the_lowest_level(void **state)
{
    struct lamda_state *s = *state;
    expect_good(s, lamda_try_with(s, 8, "1 -5.0 1.0"));
    assert_true(s->molecule.lowest == -5.0 && s->molecule.level[0].energy == 0.0);
    assert_true(s->molecule.level[1].energy == 15.0 && s->molecule.level[2].energy == 35.0);
}

static void a_file_without_collisions_is_whole(void **state)
{
    struct lamda_state *s = *state;
    const char *end = strstr(LAMDA_TEXT, "!N PARTNERS");
    expect_good(s, lamda_try(s, LAMDA_TEXT, (size_t)(end - LAMDA_TEXT)));
    assert_int_equal(s->molecule.n_line, 2);
    assert_int_equal(s->molecule.n_partner, 0);
    assert_int_equal(s->n_warning, 0);
    expect_good(s, lamda_try_with(s, 17, "0"));
    assert_int_equal(s->molecule.n_partner, 0);
}

static void frequencies_that_disagree_are_warned_of_once(void **state)
{
    struct lamda_state *s = *state;
    char *text = lamda_with(10, "3  30.0000  5.0  2");
    memcpy(strstr(text, "299.792458"), "310.000000", 10);
    memcpy(strstr(text, "599.584916"), "700.000000", 10);
    expect_good(s, lamda_try(s, text, strlen(text)));
    free(text);
    assert_int_equal(s->n_warning, 1);
    assert_non_null(strstr(s->warning, "xy.dat:14: 2 of 2"));
    expect_good(s, lamda_try_with(s, 14, "1 2 1 1.5e-06 305.0")); /* 1.7 % */
    assert_int_equal(s->n_warning, 0);
    expect_good(s, lamda_try_with(s, 14, "1 2 1 1.5e-06 310.7")); /* 3.5 % */
    assert_int_equal(s->n_warning, 1);
    /* The same, within the rounding of an energy written as 10. */
    text = lamda_with(9, "2 10. 3.0");
    memcpy(strstr(text, "299.792458"), "310.700000", 10);
    expect_good(s, lamda_try(s, text, strlen(text)));
    free(text);
    assert_int_equal(s->n_warning, 0);
}

/* Hyperfine levels may be equal to the digits given; the file then decides which is the upper one. */
static void levels_equal_to_rounding_are_allowed(void **state)
{
    struct lamda_state *s = *state;
    expect_good(s, lamda_try_with(s, 10, "3 10.0000 5.0 2"));
    expect_good(s, lamda_try_with(s, 10, "3  9.9999 5.0 2"));
    assert_null(strstr(s->warning, "below"));
    assert_true(s->molecule.line[1].upper == 2);
}

/* A line, or a rate, goes down in energy: if the file says otherwise, its levels are exchanged. */
static void levels_in_the_wrong_order_are_exchanged(void **state)
{
    struct lamda_state *s = *state;
    expect_good(s, lamda_try_with(s, 14, "1 1 2 1.5e-06 299.792458"));
    assert_int_equal(s->n_warning, 1);
    assert_non_null(strstr(s->warning, "xy.dat:14: the upper level lies below the lower one (1 such rows"));
    expect_xy(&s->molecule);
    expect_good(s, lamda_try_with(s, 28, "2 1 3 3.0e-12 4.0e-12"));
    assert_int_equal(s->n_warning, 1);
    assert_non_null(strstr(s->warning, "xy.dat:28: the upper level lies below"));
    expect_xy(&s->molecule);
    /* Beyond rounding, in both tables: the line, and two rates. */
    expect_good(s, lamda_try_with(s, 10, "3  9.9997 5.0 2"));
    assert_non_null(strstr(s->warning, "xy.dat:29: the upper level lies below"));
    assert_true(s->molecule.line[1].upper == 1 && s->molecule.line[1].lower == 2);
    assert_true(s->molecule.partner[0].upper[2] == 1 && s->molecule.partner[0].lower[2] == 2);
}

static void repeated_pairs_count_once(void **state)
{
    struct lamda_state *s = *state;
    char *text = lamda_with(12, "3");
    char *more = lamda_insert(text, "!N PARTNERS", "3 1 2 9e-6 299.792458\n");
    expect_good(s, lamda_try(s, more, strlen(more)));
    assert_int_equal(s->n_warning, 2); /* exchanged, too */
    assert_non_null(strstr(s->warning, "xy.dat:16: these two levels appear again"));
    expect_xy(&s->molecule);
    free(more);
    free(text);
    text = lamda_with(21, "4");
    more = lamda_insert(text, "!PARTNER\n4", "4 2 1 8e-11 9e-11\n");
    expect_good(s, lamda_try(s, more, strlen(more)));
    assert_int_equal(s->n_warning, 1);
    assert_non_null(strstr(s->warning, "xy.dat:30: these two levels appear again"));
    expect_xy(&s->molecule);
    free(more);
    free(text);
}

/* More rows than stated, in the middle of the file and at its end. */
static void rows_beyond_the_stated_number_are_read(void **state)
{
    struct lamda_state *s = *state;
    expect_good(s, lamda_try_with(s, 21, "2"));
    assert_int_equal(s->n_warning, 1);
    assert_non_null(strstr(s->warning, "xy.dat:29: 3 rows of collision rates, but 2 are stated"));
    expect_xy(&s->molecule);
    char *more = lamda_insert(LAMDA_TEXT, NULL, "\n2 3 1 1e-8\nnotes of 2020: 1 2 3 4\n");
    expect_good(s, lamda_try(s, more, strlen(more)));
    assert_int_equal(s->n_warning, 1);
    assert_int_equal(s->molecule.partner[1].n_transition, 2);
    assert_true(s->molecule.partner[1].rate[1] == 1e-8);
    free(more);
}

/* A unit of its own: 1e6 times too large, and as much too small. */
static void frequencies_far_from_the_energies_are_replaced(void **state)
{
    struct lamda_state *s = *state;
    const char *const rows[] = {"2 3 2 2.5e-05 599584916 43.16", "2 3 2 2.5e-05 0.000599584916 43.16"};
    for (int i = 0; i < 2; i++) {
        expect_good(s, lamda_try_with(s, 15, rows[i]));
        assert_int_equal(s->n_warning, 1);
        assert_non_null(strstr(s->warning, "xy.dat:15: 1 of 2 frequencies contradict the energies"));
        expect_xy(&s->molecule);
    }
    /* Hyperfine levels, equal to the digits given: there is nothing to replace it with. */
    char *text = lamda_with(10, "3 10.0000 5.0 2");
    memcpy(strstr(text, "599.584916"), "0.00100000", 10);
    expect_good(s, lamda_try(s, text, strlen(text)));
    assert_true(fabs(s->molecule.line[1].frequency / 1e6 - 1) < 1e-12);
    free(text);
}

static void spoiled_lines_are_named(void **state)
{
    struct lamda_state *s = *state;
    const struct {
        int line;
        const char *text;
        int where;
        const char *message;
    } cases[] = {
        {4, "heavy", 4, "'heavy' is not a number; expected the molecular weight"},
        {4, "-3.0", 4, "molecular weight -3; expected 0.0001 to 1e+06"},
        {4, "1e300", 4, "molecular weight 1e+300; expected 0.0001 to 1e+06"},
        {4, "nan", 4, "not a number"},
        {4, "0x10", 4, "not a number"},
        {6, "three", 6, "'three' is not a whole number; expected the number of energy levels"},
        {6, "3.0", 6, "not a whole number"},
        {6, "1", 6, "must lie between 2 and"},
        {6, "99999999999999999999", 6, "must lie between"},
        {6, "2", 11, "'!N' is not a whole number; expected the number of radiative transitions"},
        {6, "4", 11, "'!N' is not a whole number; expected the number of the level"},
        {7, "", 8, "level 2; expected level 1"},
        {9, "3 10.0 3.0", 9, "level 3; expected level 2, in order"},
        {9, "2 10.0", 9, "unexpected end of line; expected the statistical weight"},
        {9, "2 1e999 3.0", 9, "too large; expected the energy"},
        {9, "2 -1e10 3.0", 9, "energy -1e+10 cm^-1 of level 2"},
        {9, "2 10.0 0.0", 9, "weight 0 of level 2; expected 0.001 to 1e+09"},
        {9, "2 10.0 1e-320", 9, "of level 2; expected 0.001 to 1e+09"},
        {9, "2 10.0 1e300", 9, "weight 1e+300 of level 2; expected 0.001 to 1e+09"},
        {9, "2 10.0.0 3.0", 9, "not a number"},
        {9, "2 1e 3.0", 9, "not a number"},
        {9, "2 1e5e5 3.0", 9, "not a number"},
        {9, "2 - 3.0", 9, "not a number"},
        {12, "0", 12, "must lie between 1 and 6"},
        {12, "7", 12, "must lie between 1 and 6"},
        {14, "1 2 4 1.5e-06 299.8", 14, "'4' must lie between 1 and 3; expected the number of the lower level"},
        {14, "1 0 1 1.5e-06 299.8", 14, "'0' must lie between 1 and 3; expected the number of the upper level"},
        {14, "1 1 1 1.5e-06 299.8", 14, "both 1"},
        {14, "1 2 1 -1.5e-06 299.8", 14, "Einstein coefficient -1.5e-06; expected 0 to 1e+25 s^-1"},
        {14, "1 2 1 1e300 299.8", 14, "Einstein coefficient 1e+300; expected 0 to 1e+25 s^-1"},
        {14, "1 2 1 1.5e-06 0.0", 14, "frequency 0 GHz; expected 1e-09 to 3e+10"},
        {14, "1 2 1 1.5e-06 1e300", 14, "frequency 1e+300 GHz"},
        {14, "1 2 1 1.5e-06", 14, "expected the frequency in GHz"},
        {17, "8", 17, "must lie between 0 and 7"},
        {17, "!NOTES", 17, "expected the number of collision partners"},
        {17, "3", 39, "unexpected end of file; expected a header line, then a collision partner"},
        {19, "8 XY-Ne", 19, "collision partner 8; expected 1 (H2)"},
        {19, "XY-H2", 19, "expected a collision partner: 1 (H2)"},
        {19, "1.5 XY-H2", 19, "expected a collision partner: 1 (H2)"},
        {21, "7", 21, "must lie between 1 and 6"},
        {21, "4", 30, "'!PARTNER' is not a whole number"},
        {23, "0", 23, "must lie between 1 and 1000"},
        {23, "3", 25, "expected temperature 3 of 3"},
        {25, "100.0 10.0", 25, "temperature 10 K after 100 K; expected increasing"},
        {25, "10.0 10.0", 25, "expected increasing"},
        {25, "0.0 10.0", 25, "expected increasing"},
        {27, "1 2 1 1.0e-11", 27, "expected collision rate 2 of 2"},
        {27, "1 2 1 1.0e-11 -2.0e-11", 27, "collision rate -2e-11; expected 0 to 1000 cm^3 s^-1"},
        {27, "1 2 1 1.0e-11 1e300", 27, "collision rate 1e+300; expected 0 to 1000 cm^3 s^-1"},
        {27, "1 2 1 1.0e-11 inf", 27, "'inf' is not a number"},
        {29, "", 29, "'!PARTNER' is not a whole number"},
        {31, "2 XY-pH2 again", 31, "collision partner 2 (p-H2) appears twice"},
        {39, "", 38, "unexpected end of file; expected collisional transition 1 of 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(lamda_try_with(s, cases[i].line, cases[i].text), LR_ERROR_INPUT);
        char where[32];
        snprintf(where, sizeof where, "xy.dat:%d: ", cases[i].where);
        const char *error = lr_last_error(s->ctx);
        if (strncmp(error, where, strlen(where)) != 0 || !strstr(error, cases[i].message))
            fail_msg("line %d '%s': '%s' is not '%s... %s'", cases[i].line, cases[i].text, error, where,
                     cases[i].message);
        assert_null(s->molecule.level);
    }
}

/* Cut at every byte: complete only after the last line of radiative transitions (no collisions) and after the last
 * line, with a warning if that line has no end, because its last number may then have lost digits. */
static void files_cut_at_every_byte(void **state)
{
    struct lamda_state *s = *state;
    const size_t whole = strlen(LAMDA_TEXT), lines = (size_t)(strstr(LAMDA_TEXT, "!N PARTNERS") - LAMDA_TEXT);
    const size_t last_frequency = (size_t)(strstr(LAMDA_TEXT, "599.58") - LAMDA_TEXT);
    const size_t last_rate = (size_t)(strstr(LAMDA_TEXT, "7.5e-07") - LAMDA_TEXT);
    for (size_t size = 0; size < whole; size++) {
        enum lr_status status = lamda_try(s, LAMDA_TEXT, size);
        bool in_lines = size > last_frequency && size <= lines, in_rates = size > last_rate;
        if (status == LR_OK) {
            assert_true(in_lines || in_rates);
            assert_int_equal(s->n_warning > 0, size != lines);
            assert_int_equal(s->molecule.n_partner, in_rates ? 2 : 0);
        } else {
            assert_int_equal(status, LR_ERROR_INPUT);
            assert_true(strncmp(lr_last_error(s->ctx), "xy.dat:", 7) == 0 && !s->molecule.level);
            assert_non_null(strstr(lr_last_error(s->ctx), "expected"));
        }
        if (size == lines || size == lines - 1 || size == whole - 1)
            assert_int_equal(status, LR_OK);
    }
}

/* Every word in turn is replaced: an error or a molecule, never a crash (also run under sanitizers). */
static void every_word_replaced(void **state)
{
    struct lamda_state *s = *state;
    const char *const words[] = {"-1", "0", "2147483648", "1e308", "nan", "!", "\"", "\n", "1.5", "", "\xff\xfe"};
    int n_good = 0, n_bad = 0;
    for (const char *start = LAMDA_TEXT; *start; start += strspn(start, " \n")) {
        size_t length = strcspn(start, " \n");
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            char text[sizeof LAMDA_TEXT + 32];
            snprintf(text, sizeof text, "%.*s%s%s", (int)(start - LAMDA_TEXT), LAMDA_TEXT, words[w], start + length);
            enum lr_status status = lamda_try(s, text, strlen(text));
            assert_true(status == LR_OK || (status == LR_ERROR_INPUT && lr_last_error(s->ctx)[0]));
            *(status == LR_OK ? &n_good : &n_bad) += 1;
        }
        start += length;
    }
    assert_true(n_good > 100 && n_bad > 400);
}

static void bytes_that_are_not_text(void **state)
{
    struct lamda_state *s = *state;
    char text[sizeof LAMDA_TEXT];
    memcpy(text, LAMDA_TEXT, sizeof text);
    *strstr(text, "made") = '\0';
    assert_int_equal(lamda_try(s, text, sizeof text - 1), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(s->ctx), "xy.dat:2: a zero byte"));
    assert_int_equal(lamda_try(s, NULL, 0), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(s->ctx), "unexpected end of file"));
}

/* A count of 10^4 levels must not be trusted before they have been read. */
static void many_levels_are_read(void **state)
{
    struct lamda_state *s = *state;
    enum { N = 3000 };
    size_t size = 100 + N * 64;
    char *text = malloc(size);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, size, "!\nbig\n!\n1.0\n!\n%d\n!\n", N);
    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(text + n, size - n, "%d %d.0 1 x\n", i + 1, i);
    n += (size_t)snprintf(text + n, size - n, "!\n%d\n!\n", N - 1);
    for (int i = 1; i < N; i++)
        n += (size_t)snprintf(text + n, size - n, "%d %d %d 1e-5 29.9792458\n", i, i + 1, i);
    expect_good(s, lamda_try(s, text, n));
    assert_int_equal(s->molecule.n_level, N);
    assert_int_equal(s->molecule.n_line, N - 1);
    assert_true(s->molecule.level[N - 1].energy == N - 1 && s->molecule.line[N - 2].upper == N - 1);
    free(text);
}

static void a_missing_file_and_a_folder(void **state)
{
    struct lamda_state *s = *state;
    assert_int_equal(lamda_read(s->ctx, "no such file.dat", &s->molecule), LR_ERROR_IO);
    assert_non_null(strstr(lr_last_error(s->ctx), "no such file.dat: cannot open"));
    assert_int_equal(lamda_read(s->ctx, ".", &s->molecule), LR_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(everything_is_read),
        RUN(habits_of_real_files_change_nothing),
        RUN(line_ends_of_other_systems),
        RUN(labels_lose_quotes_and_extra_blanks),
        RUN(energies_count_from_the_lowest_level),
        RUN(a_file_without_collisions_is_whole),
        RUN(frequencies_that_disagree_are_warned_of_once),
        RUN(levels_equal_to_rounding_are_allowed),
        RUN(levels_in_the_wrong_order_are_exchanged),
        RUN(repeated_pairs_count_once),
        RUN(rows_beyond_the_stated_number_are_read),
        RUN(frequencies_far_from_the_energies_are_replaced),
        RUN(spoiled_lines_are_named),
        RUN(files_cut_at_every_byte),
        RUN(every_word_replaced),
        RUN(bytes_that_are_not_text),
        RUN(many_levels_are_read),
        RUN(a_missing_file_and_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
