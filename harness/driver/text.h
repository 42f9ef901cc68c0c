/* Words, lists and numbers as users write them. */
#ifndef GCTAX_TEXT_H
#define GCTAX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of words: `words[i]` point into `block`, both owned. */
struct text_list {
    char **words;
    size_t count;
    char *block;
};

/* Splits at commas, spaces around a word are left out. 0, or -1 where memory ran out. An empty word
 * stays in the list: whether it is allowed is for the caller. */
int text_split(struct text_list *list, const char *text);
void text_list_free(struct text_list *list);

/* A count: 500, 10k, 2M, 1G (powers of ten) or 1e6. 0, or -1 where it is none or above 2^62. */
int text_count(const char *text, uint64_t *value);
/* A size in bytes: as a count, but k, M, G, T are powers of 1024. */
int text_bytes(const char *text, uint64_t *value);
/* Seconds, with an optional s, m or h: 0.5, 90, 2m. More than 0 and at most a year. */
int text_seconds(const char *text, double *seconds);

/* Is it a line of UTF-8 without control characters, as CSV fields and the plan hold it? */
bool text_is_line(const char *text);

/* Writes the word as a POSIX shell has to read it, quoted where needed, NUL-terminated and cut at
 * `size`. Returns the length written. */
size_t text_shell_quote(char *out, size_t size, const char *word);

#endif
