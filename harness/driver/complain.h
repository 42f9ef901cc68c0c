/* How the driver speaks of failure: one line on standard error, and an exit code. */
#ifndef GCTAX_COMPLAIN_H
#define GCTAX_COMPLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes of gctax, as docs/design.md lists them. A death by signal n is 128 + n. */
enum exit_code { EXIT_WELL = 0, EXIT_FINDING = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

/* Prints "gctax: …" and returns `code`, so that a caller can `return complain(…)`. */
enum exit_code complain(enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* complain(EXIT_ENVIRONMENT, …) for memory that ran out. */
enum exit_code complain_memory(void);

#endif
