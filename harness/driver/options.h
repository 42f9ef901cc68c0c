/* The options of `gctax run`: one popt table, from which --help, the nearest names of a misspelt
 * option and the record in the plan come. */
#ifndef GCTAX_OPTIONS_H
#define GCTAX_OPTIONS_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "complain.h"

/* As given, NULL where not; what the lists hold is checked by plan_expand(). Strings are owned. */
struct options {
    char *preset, *variants, *workloads, *make, *link, *venv, *script;
    char *values[CELL_FIELDS]; /* lists for the parameters of a cell, by enum cell_field */
    char **targets, **paths, **workers, **script_args;
    char *repeat, *out, *resume, *timeout, *memory_limit, *pin, *seed, *shard;
    int force, dry_run, help;

    /* What the numbers among them say, after options_read(). */
    unsigned repeats; /* 0: as the preset says */
    double timeout_s;
    uint64_t memory_limit_bytes; /* 0: as the machine has it; UINT64_MAX: none */
    int pin_cpu;                 /* -1: none */
    uint64_t shuffle_seed;
    unsigned shard_index, shard_count; /* index from 0 */
};

/* Reads argv (argv[0] is skipped). Says what is wrong in one line. EXIT_WELL, or another code. */
enum exit_code options_read(struct options *options, int argc, const char **argv);
void options_free(struct options *options);
/* The reference of all options on standard output. */
void options_help(void);

/* Calls each(context, name, value) for every option that was given, in the order of the table, one
 * call for each value of a repeatable one; value is NULL for a flag. Stops at and returns the first
 * nonzero result. */
int options_each(const struct options *options,
                 int (*each)(void *context, const char *name, const char *value), void *context);

#endif
