/* A tree back to YAML that yaml_parse() reads as the same tree: flow style, every text quoted, one entry of the
 * outermost mapping per line. Anything but printable ASCII is escaped, so that neither the file nor the parser can
 * change it. */
#define _POSIX_C_SOURCE 200809L
#include "io/yaml/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>

/* The code point of the UTF-8 sequence at *text, which moves on. Texts of a tree are well-formed (yaml_text.c). */
static unsigned long next_code_point(const unsigned char **text)
{
    unsigned long first = *(*text)++;
    int n_more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    unsigned long code = n_more ? first & (0x3FUL >> n_more) : first;
    for (; n_more > 0 && **text; n_more--)
        code = code << 6 | (*(*text)++ & 0x3FUL);
    return code;
}

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned long code = next_code_point(&at);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (code >= 0x20 && code < 0x7F)
            fputc((int)code, out);
        else
            fprintf(out, code > 0xFFFF ? "\\U%08lx" : "\\u%04lx", code);
    }
    fputc('"', out);
}

static void write_node(FILE *out, const struct yaml_node *node)
{
    if (node->kind == YAML_SCALAR) {
        write_text(out, node->text);
        return;
    }
    const char *between = node->parent ? ", " : ",\n ";
    fputc(node->kind == YAML_MAP ? '{' : '[', out);
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        if (child->key) {
            write_text(out, child->key);
            fputs(": ", out);
        }
        write_node(out, child);
        if (child->next)
            fputs(between, out);
    }
    fputc(node->kind == YAML_MAP ? '}' : ']', out);
}

enum lr_status yaml_write(lr_context *ctx, const struct yaml_tree *tree, char **text)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (out) {
        write_node(out, tree->root);
        fputc('\n', out);
        if (fclose(out) == 0)
            return LR_OK;
        free(*text);
        *text = NULL;
    }
    return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
}
