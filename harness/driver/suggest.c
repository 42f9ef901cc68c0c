#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 63
#define NEAREST 3

static int least(int a, int b)
{
    return a < b ? a : b;
}

int suggest_distance(const char *a, const char *b)
{
    int columns = (int)strnlen(b, WORD_MAX);
    int before[WORD_MAX + 1], last[WORD_MAX + 1], row[WORD_MAX + 1];
    for (int j = 0; j <= columns; j++)
        row[j] = before[j] = j;
    for (int i = 1; i <= (int)strnlen(a, WORD_MAX); i++) {
        memcpy(before, i > 1 ? last : row, sizeof row);
        memcpy(last, row, sizeof row);
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[columns];
}

/* A word is near where at most a third of it (at least one letter) has to change, or where one
 * begins with the other. */
static bool near(const char *word, const char *name, int distance)
{
    size_t length = strlen(word), shorter = length < strlen(name) ? length : strlen(name);
    return distance <= (length < 6 ? 1 + (length > 2) : (int)length / 3) ||
           (shorter >= 2 + strspn(word, "-") && !strncmp(word, name, shorter));
}

const char *suggest(char text[SUGGEST_SIZE], const char *word, const char *const *names,
                    size_t count)
{
    const char *nearest[NEAREST] = {NULL};
    int distances[NEAREST], found = 0;
    for (size_t n = 0; n < count; n++) {
        int distance = names[n] ? suggest_distance(word, names[n]) : 0;
        if (!names[n] || !near(word, names[n], distance))
            continue;
        int at = found < NEAREST ? found++ : NEAREST;
        for (; at > 0 && distances[at - 1] > distance; at--)
            if (at < NEAREST) {
                nearest[at] = nearest[at - 1];
                distances[at] = distances[at - 1];
            }
        if (at < NEAREST) {
            nearest[at] = names[n];
            distances[at] = distance;
        }
    }
    size_t used = 0;
    text[0] = '\0';
    if (found) {
        for (int i = 0; i < found; i++)
            used += (size_t)snprintf(text + used, SUGGEST_SIZE - used, "%s%.60s",
                                     i ? ", " : "; did you mean ", nearest[i]);
        snprintf(text + used, SUGGEST_SIZE - used, "?");
        return text;
    }
    for (size_t n = 0; n < count; n++) {
        if (!names[n])
            continue;
        if (used + strlen(names[n]) + 8 > SUGGEST_SIZE) {
            snprintf(text + used, SUGGEST_SIZE - used, " …");
            break;
        }
        used += (size_t)snprintf(text + used, SUGGEST_SIZE - used, "%s%s",
                                 used ? ", " : "; one of ", names[n]);
    }
    return text;
}
