/* The nearest valid names to a wrong one. */
#ifndef GCTAX_SUGGEST_H
#define GCTAX_SUGGEST_H

#include <stddef.h>

#define SUGGEST_SIZE 256

/* Edits (insert, delete, replace, swap of neighbours) from one word to the other; case is ignored.
 * Words are compared up to 63 characters. */
int suggest_distance(const char *a, const char *b);

/* Writes "; did you mean X, Y?" with the up to three nearest of `count` names (NULL entries are
 * passed over) into text, or "; one of A, B, C …" where none is near. Returns text. */
const char *suggest(char text[SUGGEST_SIZE], const char *word, const char *const *names,
                    size_t count);

#endif
