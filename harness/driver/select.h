/* Which variants, workloads and targets the options name. */
#ifndef GCTAX_SELECT_H
#define GCTAX_SELECT_H

#include "complain.h"
#include "tables.h"
#include "text.h"

/* Does --variants LIST select the variant? Globs match its name or its family. */
bool select_variant(const struct tables_variant *variant, const struct text_list *list);
/* Does --workloads LIST select the name? */
bool select_name(const char *name, const struct text_list *list);

/* Say what is wrong with a list, with the nearest valid names. */
enum exit_code select_check_variants(const char *text);
enum exit_code select_check_workloads(const char *text);
enum exit_code select_check_preset(const char *name);
/* A variant, a builtin, or something with a colon (MODULE:EXPR, for the worker to judge). */
enum exit_code select_check_target(const char *name);

/* Is it MODULE:EXPR? */
bool select_is_expression(const char *target);

#endif
