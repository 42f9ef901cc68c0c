/* The front that embeds: a program with a CPython of its own. */
#include <stdio.h>

#include "interp.h"
#include "worker.h"
#include "worker_base.h"
#include "worker_seed.h"

int main(int argc, char **argv)
{
    struct worker worker;
    char why[512], base[PATH_MAX];
    int code = worker_open(&worker, argc, argv);

    if (code != WORKER_OK || worker.arguments.command == WORKER_HELP)
        return code;
    const char *refused = interp_refuses_allocator(worker.arguments.cell.allocator);
    if (refused != NULL)
        return worker_skip(&worker, refused);
    if (worker_base(base) < 0) {
        perror("gctax-worker: its own path");
        return WORKER_NO_INTERPRETER;
    }
    if (interp_start(worker.arguments.cell.allocator,
                     worker_hash_seed(worker.arguments.seed, worker.arguments.repeat), why,
                     sizeof why) < 0) {
        fprintf(stderr, "gctax-worker: %s\n", why);
        return WORKER_NO_INTERPRETER;
    }
    /* The interpreter is not finalized: the rows are out, and its end is no part of the cell. */
    return worker_run(&worker, base);
}
