/* Commands that are programs of their own: gctax-NAME beside the driver, in ../libexec/gctax
 * relative to it, or on PATH, as git has them. */
#ifndef GCTAX_COMMANDS_H
#define GCTAX_COMMANDS_H

#include <stddef.h>

#define COMMANDS_MAX 64
#define COMMANDS_NAME_SIZE 48

/* Replaces this process by gctax-NAME with argv[1] and so on. Returns only where there is none, or
 * where it cannot be run: then with an exit code and after saying why; -1 where there is none. */
int commands_exec(const char *name, const char **argv);

/* The names of those that are there, sorted, each once; how many. Workers and benchmarks, which
 * have gctax- names too, are left out. */
size_t commands_find(char names[COMMANDS_MAX][COMMANDS_NAME_SIZE]);

#endif
