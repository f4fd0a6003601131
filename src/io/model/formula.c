#include "io/model/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/formula_steps.h"

enum { DEEPEST = 40, LONGEST_NAME = 16, LONGEST_UNIT = 96, LONGEST_SHOWN = 64 };

struct parser {
    const struct units *units;
    const char *text, *at;
    bool radial, failed;
    struct formula *formula;
    int stack; /* numbers on it after the steps so far */
    int depth; /* of parentheses, signs and powers */
    char *message;
    size_t size;
};

/* A part of the formula whose value is on top of the stack. */
struct part {
    struct unit_powers powers;
    bool constant;
    int first;        /* of its steps */
    const char *from; /* its text */
};

static const struct part NO_PART = {.constant = true};

/* Only the first fault counts: what follows it is a consequence. */
__attribute__((format(printf, 3, 4))) static struct part fail(struct parser *p, const char *at, const char *format, ...)
{
    if (!p->failed) {
        const int used = snprintf(p->message, p->size, "column %d of the formula: ", (int)(at - p->text) + 1);
        va_list list;
        va_start(list, format);
        if (used > 0 && (size_t)used < p->size)
            vsnprintf(p->message + used, p->size - (size_t)used, format, list);
        va_end(list);
        p->failed = true;
    }
    return NO_PART;
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(struct parser *p, const char *symbol)
{
    skip_blanks(p);
    if (strncmp(p->at, symbol, strlen(symbol)) != 0)
        return false;
    p->at += strlen(symbol);
    return true;
}

static void add_step(struct parser *p, struct formula_step step)
{
    struct formula *formula = p->formula;
    p->stack += step.operation <= PUSH_VARIABLE ? 1 : step.operation < NEGATE ? -1 : 0;
    if (formula->n == FORMULA_MOST_STEPS || p->stack > FORMULA_MOST_STACK)
        fail(p, p->at, "the formula is too long");
    else
        formula->step[formula->n++] = step;
}

static struct part combine(struct parser *p, enum operation operation, struct part a, struct part b,
                           struct unit_powers powers)
{
    add_step(p, (struct formula_step){.operation = (int)operation});
    return (struct part){powers, a.constant && b.constant, a.first, a.from};
}

static void show(struct unit_powers powers, char text[LONGEST_SHOWN])
{
    unit_powers_text(powers, text, LONGEST_SHOWN);
}

static struct part parse_sum(struct parser *p);
static struct part parse_signed(struct parser *p);

/* ---- Numbers with units ---- */

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (isalpha((unsigned char)text[n]) || text[n] == '_' || (n > 0 && isdigit((unsigned char)text[n])))
        n++;
    return n;
}

static const char *const VARIABLES[N_FORMULA_VARIABLE] = {"x", "y", "z", "r", "R", "theta", "phi"};

struct function {
    const char *name;
    enum operation operation;
};
static const struct function FUNCTIONS[] = {
    {"exp", EXP}, {"log", LOG}, {"log10", LOG10}, {"sqrt", SQRT},   {"abs", ABS},
    {"sin", SIN}, {"cos", COS}, {"tanh", TANH},   {"min", SMALLER}, {"max", LARGER},
};
enum { N_FUNCTION = sizeof FUNCTIONS / sizeof *FUNCTIONS };

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(text, name, length) == 0;
}

static int find_variable(const char *text, size_t length)
{
    for (int i = 0; i < N_FORMULA_VARIABLE; i++)
        if (is_name(text, length, VARIABLES[i]))
            return i;
    return -1;
}

static const struct function *find_function(const char *text, size_t length)
{
    for (int i = 0; i < N_FUNCTION; i++)
        if (is_name(text, length, FUNCTIONS[i].name))
            return &FUNCTIONS[i];
    return NULL;
}

/* The name of a unit, and not of anything else, begins here. */
static size_t unit_length(const char *text)
{
    const size_t length = name_length(text);
    if (find_variable(text, length) >= 0 || find_function(text, length) || is_name(text, length, "pi"))
        return 0;
    size_t letters = 0;
    while (letters < length && !isdigit((unsigned char)text[letters]))
        letters++;
    return letters;
}

/* One factor of a unit, "cm^-3" or "cm3", as UDUNITS writes it. False if it does not fit. */
static bool take_factor(struct parser *p, size_t length, char *unit, size_t *used)
{
    char power[8] = "";
    const char *name = p->at;
    p->at += length;
    const char *after = p->at;
    if (isdigit((unsigned char)*p->at) || take(p, "**") || take(p, "^")) {
        skip_blanks(p);
        char *end;
        const long number = strtol(p->at, &end, 10);
        if (end == p->at || *end == '.' || number < -99 || number > 99) {
            fail(p, p->at, "the power of a unit must be a whole number; put the value in parentheses first");
            return false;
        }
        p->at = end;
        snprintf(power, sizeof power, "%ld", number);
    } else
        p->at = after;
    *used += (size_t)snprintf(unit + *used, LONGEST_UNIT - *used, "%.*s%s", (int)length, name, power);
    return *used < LONGEST_UNIT - 4;
}

/* The unit after a number: as many factors as follow. */
static bool take_unit(struct parser *p, char unit[LONGEST_UNIT])
{
    size_t used = 0;
    bool fits = true;
    unit[0] = '\0';
    skip_blanks(p);
    const char *start = p->at;
    if (*p->at == '1') /* "0.3 1/pc", "0.3/pc" */
        p->at++;
    if (take(p, "/")) {
        skip_blanks(p);
        if (unit_length(p->at) > 0)
            used = (size_t)snprintf(unit, LONGEST_UNIT, "1/");
    }
    if (used == 0)
        p->at = start;
    size_t length = unit_length(p->at);
    while (length > 0 && fits) {
        fits = take_factor(p, length, unit, &used);
        const char *before = p->at;
        const bool divided = take(p, "/"), times = !divided && strncmp(p->at, "**", 2) != 0 && take(p, "*");
        skip_blanks(p);
        length = unit_length(p->at);
        if (length == 0)
            p->at = before;
        else if (fits)
            used += (size_t)snprintf(unit + used, LONGEST_UNIT - used, "%s", divided ? "/" : times ? "." : " ");
    }
    if (!fits)
        fail(p, start, "this unit is too long");
    return fits;
}

static struct part parse_number(struct parser *p)
{
    const char *from = p->at;
    char *end;
    double number = strtod(p->at, &end);
    struct part part = {.constant = true, .first = p->formula->n, .from = from};
    if (memchr(from, 'x', (size_t)(end - from)) || memchr(from, 'X', (size_t)(end - from)) || !isfinite(number))
        return fail(p, from, "'%.*s' is not a finite decimal number", (int)(end - from), from);
    p->at = end;
    skip_blanks(p);
    const char *start = p->at;
    char unit[LONGEST_UNIT];
    if (!take_unit(p, unit))
        return NO_PART;
    double size = 1;
    if (*unit && unit_powers_of(p->units, unit, &size, &part.powers) != UNIT_OK)
        return fail(p, start, "'%.*s' is not a unit", (int)(p->at - start), start);
    add_step(p, (struct formula_step){.operation = PUSH_NUMBER, .number = number * size});
    return part;
}

/* ---- Names ---- */

static struct part parse_variable(struct parser *p, const char *from, int variable)
{
    if (p->radial && variable != FORMULA_RADIUS)
        return fail(p, from, "'%s' has no meaning on a mesh of shells; use r", VARIABLES[variable]);
    add_step(p, (struct formula_step){.operation = PUSH_VARIABLE, .variable = variable});
    struct part part = {.first = p->formula->n - 1, .from = from};
    part.powers.power[0] = variable <= FORMULA_DISTANCE ? 1 : 0;
    return part;
}

static struct part call_one(struct parser *p, const struct function *function, struct part part)
{
    char found[LONGEST_SHOWN];
    show(part.powers, found);
    if (function->operation == SQRT)
        part.powers = unit_powers_combine((struct unit_powers){{0}}, part.powers, 0.5);
    else if (function->operation != ABS && !unit_powers_none(part.powers))
        return fail(p, part.from, "%s() needs a plain number; this is in %s", function->name, found);
    add_step(p, (struct formula_step){.operation = (int)function->operation});
    return part;
}

/* Sums, minima and maxima: of like and like. */
static struct part combine_like(struct parser *p, enum operation operation, const char *what, struct part a,
                                struct part b)
{
    char left[LONGEST_SHOWN], right[LONGEST_SHOWN];
    show(a.powers, left);
    show(b.powers, right);
    if (!p->failed && !unit_powers_equal(a.powers, b.powers))
        return fail(p, b.from, "cannot %s %s and %s", what, left, right);
    return combine(p, operation, a, b, a.powers);
}

static struct part parse_call(struct parser *p, const char *from, const struct function *function)
{
    const bool several = function->operation == SMALLER || function->operation == LARGER;
    if (!take(p, "("))
        return fail(p, p->at, "expected '(' after %s", function->name);
    struct part part = parse_sum(p);
    if (several && !p->failed) {
        skip_blanks(p);
        if (*p->at != ',')
            return fail(p, p->at, "%s() needs two values or more, with commas between them", function->name);
        while (!p->failed && take(p, ","))
            part = combine_like(p, function->operation, "compare", part, parse_sum(p));
    } else if (!p->failed)
        part = call_one(p, function, part);
    if (!p->failed && !take(p, ")"))
        return fail(p, p->at, "expected ')' here");
    part.from = from;
    return part;
}

static struct part parse_name(struct parser *p)
{
    const char *from = p->at;
    const size_t length = name_length(from);
    const struct function *function = find_function(from, length);
    const int variable = find_variable(from, length);
    p->at += length;
    if (function)
        return parse_call(p, from, function);
    if (variable >= 0)
        return parse_variable(p, from, variable);
    if (is_name(from, length, "pi")) {
        add_step(p, (struct formula_step){.operation = PUSH_NUMBER, .number = LR_PI});
        return (struct part){.constant = true, .first = p->formula->n - 1, .from = from};
    }
    char name[LONGEST_NAME];
    double size;
    struct unit_powers powers;
    snprintf(name, sizeof name, "%.*s", (int)length, from);
    if (length < sizeof name && unit_powers_of(p->units, name, &size, &powers) == UNIT_OK)
        return fail(p, from, "the unit '%s' needs a number; write '1 %s'", name, name);
    return fail(
        p, from,
        "'%.*s' is unknown; there are x, y, z, r, R, theta, phi, pi, exp, log, log10, sqrt, abs, min, max, sin, "
        "cos, tanh",
        (int)length, from);
}

/* ---- Expressions ---- */

static struct part parse_value(struct parser *p)
{
    skip_blanks(p);
    const char *from = p->at;
    if (take(p, "(")) {
        struct part part = parse_sum(p);
        part.from = from;
        return p->failed || take(p, ")") ? part : fail(p, p->at, "expected ')' here");
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '.')
        return parse_number(p);
    if (name_length(p->at) > 0)
        return parse_name(p);
    return *p->at ? fail(p, p->at, "expected a value, found '%c'", isprint((unsigned char)*p->at) ? *p->at : '?')
                  : fail(p, p->at, "the formula ends too soon");
}

static struct part raise_to(struct parser *p, struct part base, struct part exponent)
{
    char found[LONGEST_SHOWN];
    show(exponent.powers, found);
    if (!unit_powers_none(exponent.powers))
        return fail(p, exponent.from, "a power must be a plain number; this is in %s", found);
    struct unit_powers powers = {{0}};
    if (!unit_powers_none(base.powers)) {
        show(base.powers, found);
        if (!exponent.constant)
            return fail(p, base.from, "this is in %s and has a power that varies; divide it by a scale first", found);
        double value;
        formula_run(p->formula->step + exponent.first, p->formula->n - exponent.first, 1, NULL, &value);
        if (!(fabs(value) <= 100))
            return fail(p, exponent.from, "a power of %s must lie between -100 and 100", found);
        powers = unit_powers_combine(powers, base.powers, value);
    }
    return combine(p, POWER, base, exponent, powers);
}

static struct part parse_power(struct parser *p)
{
    struct part base = parse_value(p);
    if (p->failed || !(take(p, "**") || take(p, "^")))
        return base;
    skip_blanks(p);
    struct part exponent = parse_signed(p);
    return p->failed ? NO_PART : raise_to(p, base, exponent);
}

static struct part parse_signed(struct parser *p)
{
    if (++p->depth > DEEPEST)
        return fail(p, p->at, "too many parentheses, signs or powers inside each other");
    skip_blanks(p);
    const char *from = p->at;
    struct part part;
    if (take(p, "-")) {
        part = parse_signed(p);
        if (!p->failed)
            add_step(p, (struct formula_step){.operation = NEGATE});
        part.from = from;
    } else
        part = take(p, "+") ? parse_signed(p) : parse_power(p);
    p->depth--;
    return part;
}

static struct part parse_product(struct parser *p)
{
    struct part part = parse_signed(p);
    while (!p->failed) {
        const bool times = take(p, "*");
        if (!times && !take(p, "/"))
            break;
        const struct part next = parse_signed(p);
        if (!p->failed)
            part = combine(p, times ? MULTIPLY : DIVIDE, part, next,
                           unit_powers_combine(part.powers, next.powers, times ? 1 : -1));
    }
    return part;
}

static struct part parse_sum(struct parser *p)
{
    struct part part = parse_product(p);
    while (!p->failed) {
        const bool plus = take(p, "+");
        if (!plus && !take(p, "-"))
            break;
        const struct part next = parse_product(p);
        if (!p->failed)
            part = combine_like(p, plus ? ADD : SUBTRACT, plus ? "add" : "subtract", part, next);
    }
    return part;
}

bool formula_read(const struct units *units, const char *text, bool radial, struct formula *formula, char *message,
                  size_t size)
{
    *formula = (struct formula){0};
    struct parser parser = {.units = units,
                            .text = text,
                            .at = text,
                            .radial = radial,
                            .formula = formula,
                            .message = message,
                            .size = size};
    const struct part whole = parse_sum(&parser);
    skip_blanks(&parser);
    if (!parser.failed && *parser.at)
        fail(&parser, parser.at, "expected an operator (+ - * / ^) here");
    formula->powers = whole.powers;
    formula->constant = whole.constant;
    return !parser.failed;
}
