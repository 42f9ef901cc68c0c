/* What the rules that compare visits with references say where traverse shows more than there are.
 * Include pycompat.h first. */
#ifndef GCTAX_VISITS_BREACH_H
#define GCTAX_VISITS_BREACH_H

#include "probe_visits.h"
#include "rule.h"

/* Each is a breach, counted. 0. */

/* The instances own so many references to `what`, in words, and traverse shows `visited`. */
int visits_breach(struct rule_case *at, const char *what, int64_t instances, int64_t owned,
                  int64_t visited);

/* The same of an object that was put in the slot of this name. */
int visits_breach_in_slot(struct rule_case *at, const struct probe_visits_slot *seen,
                          const char *name);

#endif
