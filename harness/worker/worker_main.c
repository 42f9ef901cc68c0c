/* The front that embeds: a program with a CPython of its own. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interp.h"
#include "worker.h"
#include "worker_seed.h"

int main(int argc, char **argv)
{
    struct worker worker;
    char why[512], base[4096];
    int code = worker_open(&worker, argc, argv);

    if (code != WORKER_OK || worker.arguments.command == WORKER_HELP)
        return code;
    const char *refused = interp_refuses_allocator(worker.arguments.cell.allocator);
    if (refused != NULL)
        return worker_skip(&worker, refused);
    ssize_t length = readlink("/proc/self/exe", base, sizeof base - 1);
    if (length < 0) {
        perror("gctax-worker: /proc/self/exe");
        return WORKER_NO_INTERPRETER;
    }
    base[length] = '\0';
    *strrchr(base, '/') = '\0';
    if (interp_start(worker.arguments.cell.allocator,
                     worker_hash_seed(worker.arguments.seed, worker.arguments.repeat), why,
                     sizeof why) < 0) {
        fprintf(stderr, "gctax-worker: %s\n", why);
        return WORKER_NO_INTERPRETER;
    }
    /* The interpreter is not finalized: the rows are out, and its end is no part of the cell. */
    return worker_run(&worker, base);
}
