/* The three kinds of target.c, each in a file of its own. */
#ifndef GCTAX_TARGET_KINDS_H
#define GCTAX_TARGET_KINDS_H

#include "target.h"

/* One line into `why`; returns TARGET_ERROR. */
enum target_result target_fail(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of the current exception, "Type: message", which is cleared. `prefix` stands before. */
enum target_result target_fail_exception(char *why, size_t size, const char *prefix);

/* Fills *target where `name` is a variant; false where it is none. *result says how it ended. */
bool target_open_variant(struct target *target, const char *name, const struct variant_table *table,
                         enum target_result *result, char *why, size_t size);
/* The same for targets.def. */
bool target_open_builtin(struct target *target, const char *name, enum target_result *result,
                         char *why, size_t size);
/* MODULE:EXPR. Fills make() first, then, with one instance of it at hand, link(). */
enum target_result target_open_user(struct target *target, const struct cell *cell, bool venv,
                                    char *why, size_t size);
enum target_result target_link_user(struct target *target, const struct cell *cell, PyObject *a,
                                    PyObject *b, char *why, size_t size);

#endif
