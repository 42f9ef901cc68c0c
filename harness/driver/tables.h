/* The tables that both programs compile, as the driver reads them: variants, workloads, builtin
 * targets, and the driver's own presets. */
#ifndef GCTAX_TABLES_H
#define GCTAX_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "variant_row.h"
#include "workload_row.h"

#define TABLES_NAME_SIZE 48

/* One variant: a family at one size. */
struct tables_variant {
    char name[TABLES_NAME_SIZE];
    const struct variant_row *row;
    int fields;
};

struct tables_target {
    const char *name;
    bool free_list;
    const char *doc;
};

struct preset {
    const char *name;
    unsigned repeats; /* default of --repeat */
    const char *doc;
};

/* One block of cells of a preset: the product of its lists, each written as its option is. What is
 * NULL takes the workload's default. */
struct sweep {
    const char *preset;
    const char *variants;  /* as --variants */
    const char *targets;   /* builtin targets, comma-separated, besides the variants */
    const char *workloads; /* as --workloads */
    const char *values[CELL_FIELDS];
};

/* A trait of a variant: a member of struct variant_row, or size. */
#define TABLES_ONE(member, base) +1
enum { TABLES_TRAITS = 5 VARIANT_EACH_TRAIT(TABLES_ONE) };
#undef TABLES_ONE
extern const char *const tables_traits[TABLES_TRAITS];

/* Each returns the table and, in *count, its length. Never fail: variants are built on first use
 * into static memory. */
const struct tables_variant *tables_variants(int *count);
const struct workload_row *tables_workloads(int *count);
const struct tables_target *tables_targets(int *count);
const struct preset *tables_presets(int *count);
const struct sweep *tables_sweeps(int *count);

const struct tables_variant *tables_find_variant(const char *name);
const struct workload_row *tables_find_workload(const char *name);
const struct tables_target *tables_find_target(const char *name);
const struct preset *tables_find_preset(const char *name);

/* The value of a trait, "" where it has none; numbers are written into buffer. */
const char *tables_trait(const struct tables_variant *variant, int trait,
                         char buffer[TABLES_NAME_SIZE]);

/* Does the workload take the parameter? */
bool tables_takes(const struct workload_row *workload, const char *parameter);

#endif
