/* The worker's command line, parsed. */
#ifndef GCTAX_WORKER_ARGUMENTS_H
#define GCTAX_WORKER_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "cell.h"

enum worker_command { WORKER_HELP, WORKER_DESCRIBE, WORKER_PREFLIGHT, WORKER_CELL, WORKER_CHECK };

struct worker_arguments {
    enum worker_command command;
    struct cell cell; /* texts borrowed from argv */
    uint64_t repeat, seed;
    const char *const *paths; /* owned array of strings borrowed from argv */
    size_t path_count;
    const char *venv;   /* borrowed; NULL: none */
    char *const *check; /* WORKER_CHECK: what follows `--`, borrowed from argv */
    int check_count;
};

/* 0, or -1 after one line on standard error. To be freed in both cases. */
int worker_arguments_parse(struct worker_arguments *arguments, int argc, char **argv);
void worker_arguments_free(struct worker_arguments *arguments);
/* Usage, on standard output. */
void worker_help(const char *program);

#endif
