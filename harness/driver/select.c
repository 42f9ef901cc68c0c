#include "select.h"

#include "suggest.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 256

static bool glob(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

/* The trait that a word TRAIT=VALUE names, or -1; *value is what it asks for. */
static int trait_of(const char *word, const char **value)
{
    const char *equals = strchr(word, '=');
    *value = equals + 1;
    for (int t = 0; t < TABLES_TRAITS; t++)
        if (strlen(tables_traits[t]) == (size_t)(equals - word) &&
            !strncmp(tables_traits[t], word, (size_t)(equals - word)))
            return t;
    return -1;
}

static bool word_selects(const struct tables_variant *variant, const char *word)
{
    char buffer[TABLES_NAME_SIZE];
    const char *value;
    if (!strchr(word, '='))
        return glob(word, variant->name) || glob(word, variant->row->family);
    int trait = trait_of(word, &value);
    return trait >= 0 && glob(value, tables_trait(variant, trait, buffer));
}

bool select_variant(const struct tables_variant *variant, const struct text_list *list)
{
    bool globs = false, any = false;
    for (size_t w = 0; w < list->count; w++) {
        bool selects = word_selects(variant, list->words[w]);
        if (strchr(list->words[w], '=')) {
            if (!selects)
                return false;
        } else {
            globs = true;
            any |= selects;
        }
    }
    return any || !globs;
}

bool select_name(const char *name, const struct text_list *list)
{
    for (size_t w = 0; w < list->count; w++)
        if (glob(list->words[w], name))
            return true;
    return false;
}

static enum exit_code unknown(const char *what, const char *word, const char *const *names,
                              size_t count)
{
    char near[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "%s %s%s", what, word, suggest(near, word, names, count));
}

static enum exit_code check_variant_word(const char *word)
{
    int count;
    const struct tables_variant *variants = tables_variants(&count);
    const char *names[NAMES_MAX], *value;
    char values[NAMES_MAX][TABLES_NAME_SIZE];
    size_t n = 0;
    for (int i = 0; i < count; i++)
        if (word_selects(&variants[i], word))
            return EXIT_WELL;
    if (!strchr(word, '=')) {
        for (int i = 0; i < count && n < NAMES_MAX; i++) {
            if (i == 0 || variants[i].row != variants[i - 1].row)
                if (variants[i].row->sizes && n < NAMES_MAX - 1)
                    names[n++] = variants[i].row->family;
            names[n++] = variants[i].name;
        }
        return unknown("--variants: no variant", word, names, n);
    }
    int trait = trait_of(word, &value);
    if (trait < 0) {
        char name[TABLES_NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        return unknown("--variants: no trait", name, tables_traits, TABLES_TRAITS);
    }
    for (int i = 0; i < count && n < NAMES_MAX; i++) {
        char buffer[TABLES_NAME_SIZE];
        snprintf(values[n], sizeof values[n], "%s", tables_trait(&variants[i], trait, buffer));
        bool seen = !values[n][0];
        for (size_t k = 0; k < n && !seen; k++)
            seen = !strcmp(values[k], values[n]);
        if (!seen) {
            names[n] = values[n];
            n++;
        }
    }
    return unknown("--variants: no variant has", word, names, n);
}

enum exit_code select_check_variants(const char *text)
{
    struct text_list list;
    enum exit_code code = EXIT_WELL;
    if (text_split(&list, text))
        return complain_memory();
    for (size_t w = 0; w < list.count && code == EXIT_WELL; w++)
        code = check_variant_word(list.words[w]);
    int count, selected = 0;
    const struct tables_variant *variants = tables_variants(&count);
    for (int i = 0; i < count; i++)
        selected += select_variant(&variants[i], &list);
    if (code == EXIT_WELL && !selected)
        code = complain(EXIT_USAGE, "--variants %s: no variant has all of these", text);
    text_list_free(&list);
    return code;
}

enum exit_code select_check_workloads(const char *text)
{
    struct text_list list;
    enum exit_code code = EXIT_WELL;
    int count;
    const struct workload_row *workloads = tables_workloads(&count);
    const char *names[NAMES_MAX];
    if (text_split(&list, text))
        return complain_memory();
    for (int i = 0; i < count && i < NAMES_MAX; i++)
        names[i] = workloads[i].name;
    for (size_t w = 0; w < list.count && code == EXIT_WELL; w++) {
        bool found = false;
        for (int i = 0; i < count; i++)
            found |= glob(list.words[w], names[i]);
        if (!found)
            code = unknown("--workloads: no workload", list.words[w], names, (size_t)count);
    }
    text_list_free(&list);
    return code;
}

enum exit_code select_check_preset(const char *name)
{
    int count;
    const struct preset *presets = tables_presets(&count);
    const char *names[NAMES_MAX];
    for (int i = 0; i < count && i < NAMES_MAX; i++)
        names[i] = presets[i].name;
    return tables_find_preset(name) ? EXIT_WELL
                                    : unknown("--preset: no preset", name, names, (size_t)count);
}

bool select_is_expression(const char *target)
{
    return strchr(target, ':') != NULL;
}

enum exit_code select_check_target(const char *name)
{
    const char *names[NAMES_MAX];
    int variant_count, target_count;
    size_t n = 0;
    const struct tables_variant *variants = tables_variants(&variant_count);
    const struct tables_target *targets = tables_targets(&target_count);
    if (select_is_expression(name) || tables_find_variant(name) || tables_find_target(name))
        return EXIT_WELL;
    for (int i = 0; i < target_count; i++)
        names[n++] = targets[i].name;
    for (int i = 0; i < variant_count && n < NAMES_MAX; i++)
        names[n++] = variants[i].name;
    char near[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "--target: no variant or builtin %s, and no MODULE:EXPR%s", name,
                    suggest(near, name, names, n));
}
