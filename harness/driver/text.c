#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int text_split(struct text_list *list, const char *text)
{
    size_t words = 1;
    for (const char *at = text; *at; at++)
        words += *at == ',';
    list->block = strdup(text);
    list->words = calloc(words + 1, sizeof *list->words);
    list->count = 0;
    if (!list->block || !list->words) {
        text_list_free(list);
        return -1;
    }
    for (char *at = list->block, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        at += strspn(at, " ");
        for (size_t length = strlen(at); length && at[length - 1] == ' '; length--)
            at[length - 1] = '\0';
        list->words[list->count++] = at;
    }
    return 0;
}

void text_list_free(struct text_list *list)
{
    free(list->words);
    free(list->block);
    *list = (struct text_list){0};
}

#define NUMBER_MAX (UINT64_C(1) << 62)

/* Digits, then an optional eN or one of `suffixes`, each worth `base` times the one before. */
static int number(const char *text, const char *suffixes, uint64_t base, uint64_t *value)
{
    uint64_t result = 0, scale = 1;
    if (!strspn(text, "0123456789"))
        return -1;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (result > NUMBER_MAX / 10)
            return -1;
        result = result * 10 + (uint64_t)(*text - '0');
    }
    if ((*text == 'e' || *text == 'E') && text[1]) {
        char *end;
        unsigned long exponent = strtoul(text + 1, &end, 10);
        if (text[1] < '0' || text[1] > '9' || exponent > 18)
            return -1;
        for (; exponent; exponent--)
            scale *= 10;
        text = end;
    } else if (*text) {
        const char *suffix = strchr(suffixes, *text == 'K' ? 'k' : *text);
        if (!suffix)
            return -1;
        for (const char *s = suffixes; s <= suffix; s++)
            scale *= base;
        text++;
    }
    if (*text || (result && scale > NUMBER_MAX / result))
        return -1;
    *value = result * scale;
    return 0;
}

int text_count(const char *text, uint64_t *value)
{
    return number(text, "kMG", 1000, value);
}

int text_bytes(const char *text, uint64_t *value)
{
    return number(text, "kMGT", 1024, value);
}

int text_seconds(const char *text, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || !strspn(text, ".0123456789"))
        return -1;
    double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
    if (*end && (!strchr("smh", *end) || end[1]))
        return -1;
    *seconds = value * unit;
    return *seconds > 0 && *seconds <= 366 * 86400.0 ? 0 : -1;
}

bool text_is_line(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
        if (*at < 0x20 || *at == 0x7f || *at > 0xf4 || !length)
            return false;
        for (size_t i = 1; i < length; i++)
            if ((at[i] & 0xc0) != 0x80)
                return false;
        at += length;
    }
    return true;
}

size_t text_shell_quote(char *out, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%_-+=:,./";
    size_t used = 0;
    bool quote = !*word || word[strspn(word, plain)];
    if (quote && used + 1 < size)
        out[used++] = '\'';
    for (; *word && used + 6 < size; word++) {
        if (*word == '\'')
            used += (size_t)snprintf(out + used, size - used, "'\\''");
        else
            out[used++] = *word;
    }
    if (quote && used + 1 < size)
        out[used++] = '\'';
    out[used] = '\0';
    return used;
}
