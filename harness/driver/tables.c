#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct variant_row families[] = {
#define VARIANT(family_, ...) {.family = #family_, __VA_ARGS__},
#include "variants.def"
#undef VARIANT
};

static const struct workload_row workloads[] = {
#define WORKLOAD(name_, ...) {.name = #name_, __VA_ARGS__},
#include "workloads.def"
#undef WORKLOAD
};

static const struct tables_target targets[] = {
#define TARGET(name_, free_list_, doc_) {.name = #name_, .free_list = free_list_, .doc = doc_},
#include "targets.def"
#undef TARGET
};

static const struct preset presets[] = {
#define PRESET(name_, repeats_, doc_) {.name = #name_, .repeats = repeats_, .doc = doc_},
#define SWEEP(preset_, ...)
#include "presets.def"
#undef SWEEP
#undef PRESET
};

static const struct sweep sweeps[] = {
#define PRESET(name_, repeats_, doc_)
#define SWEEP(preset_, ...) {.preset = #preset_, __VA_ARGS__},
#include "presets.def"
#undef SWEEP
#undef PRESET
};

static struct tables_variant variants[COUNT(families) * VARIANT_SIZE_COUNT];
static int variant_count;
static size_t families_added;

static void add_variant(const struct variant_row *row, int fields)
{
    struct tables_variant *variant = &variants[variant_count++];
    *variant = (struct tables_variant){.row = row, .fields = fields};
    variant_row_name(row, fields, variant->name, sizeof variant->name);
}

const struct tables_variant *tables_variants(int *count)
{
    for (size_t f = 0; f < COUNT(families) && families_added <= f; f++, families_added++) {
        const char *at = families[f].sizes;
        if (!at)
            add_variant(&families[f], families[f].fields);
        for (int size = 0, used; at && sscanf(at, "%d%n,", &size, &used) == 1;
             at += used + (at[used] == ','))
            add_variant(&families[f], size);
    }
    *count = variant_count;
    return variants;
}

const struct workload_row *tables_workloads(int *count)
{
    *count = (int)COUNT(workloads);
    return workloads;
}

const struct tables_target *tables_targets(int *count)
{
    *count = (int)COUNT(targets);
    return targets;
}

const struct preset *tables_presets(int *count)
{
    *count = (int)COUNT(presets);
    return presets;
}

const struct sweep *tables_sweeps(int *count)
{
    *count = (int)COUNT(sweeps);
    return sweeps;
}

const struct tables_variant *tables_find_variant(const char *name)
{
    int count;
    const struct tables_variant *all = tables_variants(&count);
    for (int i = 0; i < count; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return NULL;
}

#define FIND(array, wanted)                                                                        \
    for (size_t i = 0; i < COUNT(array); i++)                                                      \
        if (!strcmp((array)[i].name, wanted))                                                      \
            return &(array)[i];                                                                    \
    return NULL

const struct workload_row *tables_find_workload(const char *name)
{
    FIND(workloads, name);
}

const struct tables_target *tables_find_target(const char *name)
{
    FIND(targets, name);
}

const struct preset *tables_find_preset(const char *name)
{
    FIND(presets, name);
}

#define NAME(member, base) #member,
const char *const tables_traits[TABLES_TRAITS] = {"family", "size", "since",
                                                  "twin",   "axis", VARIANT_EACH_TRAIT(NAME)};
#undef NAME

const char *tables_trait(const struct tables_variant *variant, int trait,
                         char buffer[TABLES_NAME_SIZE])
{
    const struct variant_row *row = variant->row;
    /* In the order of tables_traits. */
#define VALUE(member, base) row->member ? row->member : (base),
    const char *values[TABLES_TRAITS] = {
        row->family, NULL, NULL, NULL, row->axis ? row->axis : "", VARIANT_EACH_TRAIT(VALUE)};
#undef VALUE
    if (values[trait])
        return values[trait];
    if (!strcmp(tables_traits[trait], "size"))
        snprintf(buffer, TABLES_NAME_SIZE, "%d", variant->fields);
    else if (!strcmp(tables_traits[trait], "twin"))
        variant_row_pattern(row->twin ? row->twin : "", variant->fields, buffer, TABLES_NAME_SIZE);
    else
        snprintf(buffer, TABLES_NAME_SIZE, "3.%d", row->since ? row->since : 9);
    return buffer;
}

bool tables_takes(const struct workload_row *workload, const char *parameter)
{
    size_t length = strlen(parameter);
    for (const char *at = workload->sizes; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, parameter, length) && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}
