/* A rule of the collector's contract: from what probes saw of a type to a verdict.
 *
 * Each rule is a row of rules.def and a file rule_NAME.c, which ends in its descriptor:
 *
 *   static int judge(struct rule_case *at)
 *   {
 *       const struct probe_result *result = rule_probe(at, &probe_visits);
 *       if (result == NULL)
 *           return -1;
 *       const struct probe_visits *seen = RULE_SEEN(visits, result);
 *       if (rule_ended(at, result, "traversing an instance"))
 *           return 0;                           // a crash there: the breach is written
 *       if (!RULE_KNOWN(seen->raised))
 *           return rule_unseen(at, result, "no traversal"); // untested, and why
 *       if (!seen->raised)
 *           return rule_ok(at);
 *       rule_done(at, "an instance is traversed");
 *       rule_seen(at, "an exception is in flight after it");
 *       rule_expected(at, "none");
 *       return rule_breach(at, RULE_SHOWN, NULL);
 *   }
 *
 *   const struct rule rule_traverse_raises = {.judge = judge, .needs_gc = true};
 *
 * It is judged on every form of the type, and the worst verdict stands. Include pycompat.h first.
 */
#ifndef GCTAX_RULE_H
#define GCTAX_RULE_H

#include "probe.h"

#include <stdbool.h>

/* Where nothing worse stands, the later one is the rule's. */
enum rule_verdict { RULE_UNTESTED, RULE_OK, RULE_SUSPECT, RULE_BREACH };

/* How sure a finding is. */
enum rule_certainty {
    RULE_SHOWN,   /* it happened: a crash, an exception that is gone, an object that stays */
    RULE_COUNTED, /* numbers that do not add up */
    RULE_INFERRED /* what was seen allows no other reading, but was not seen itself */
};

enum rule_severity { RULE_ERROR, RULE_WARNING, RULE_NOTE };

struct rule_case; /* one rule on one form */

struct rule {
    /* Gives its verdict by one of the functions below. 0, or -1 with an exception. */
    int (*judge)(struct rule_case *at);
    bool needs_gc; /* untested, "no GC flag", on a type without HAVE_GC */
    bool once;     /* it is about the type or its module: judged on the first form alone */
    /* Its breach corrupts: a death of whatever probe may come of it. */
    bool corrupts;
    /* Of several rules that find a death, those with a greater number follow from the least. */
    int death;
    /* Ids of rules, separated by spaces: a breach of one of them is a cause of what this rule
     * looks at, so that this one's own finding tells nothing new. */
    const char *explained_by;
};

#define RULE(number, name, ...) extern const struct rule rule_##name;
#include "rules.def"

/* ---- What was seen ----------------------------------------------------------------------------
 */

/* The probe on this form: it is run at the first call, in a child of its own. However that ended,
 * the result says how; NULL with an exception where none could be started. */
const struct probe_result *rule_probe(struct rule_case *at, const struct probe *probe);
#define RULE_SEEN(probe, result) ((const struct probe_##probe *)(const void *)(result)->seen)
#define RULE_KNOWN(observation) ((observation) != PROBE_UNSEEN)

/* The same on the first form, the type itself. */
const struct probe_result *rule_probe_type(struct rule_case *at, const struct probe *probe);

/* 0 for the type itself, then its Python subclasses; and how many there are. */
int rule_form(const struct rule_case *at);
int rule_forms(const struct rule_case *at);

/* What the flags of this form's type say, and of the type itself. NULL with an exception; not
 * `known` where no instance could be made. */
const struct probe_type *rule_type(struct rule_case *at);
const struct probe_type *rule_first_type(struct rule_case *at);

/* A fact that the caller gave: borrowed, or NULL without an exception where it gave none. */
PyObject *rule_fact(const struct rule_case *at, const char *name);

/* 1 when the rule of that id is in breach or suspect, else 0; -1 with an exception. It is judged
 * for it where it was not yet. */
int rule_is_broken(struct rule_case *at, const char *id);

/* Whether a slot is the type's own affair: not the dict that CPython manages for it, or that only a
 * Python subclass has. Rules managed-dict and subclass are about these. */
bool rule_owns_slot(struct rule_case *at, const struct probe_result *result, int slot);
bool rule_is_dict(const struct probe_result *result, int slot);

/* The place of a slot of this name in another result of the same probe, or -1. */
int rule_find_slot(const struct probe_result *result, const char *name);

/* ---- What to say of it ------------------------------------------------------------------------
 */

/* The words of a finding: what was done, what was seen, what was expected, with the numbers. */
void rule_done(struct rule_case *at, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rule_seen(struct rule_case *at, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rule_expected(struct rule_case *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Instead of the row's own words. */
void rule_leads_to(struct rule_case *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The verdicts: each ends the judgement and returns 0. `slot`: a name out of the result, or NULL.
 */
int rule_ok(struct rule_case *at);
int rule_breach(struct rule_case *at, enum rule_certainty certainty, const char *slot);
int rule_suspect(struct rule_case *at, enum rule_certainty certainty, const char *slot);
int rule_untested(struct rule_case *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A reason of rules that destroy by the reference count. */
#define RULE_SURVIVES                                                                              \
    "an instance does not die by its reference count: what it has made refers to it"

/* For an observation that was not made: untested, with how the probe ended as the reason; where it
 * ended well, with `otherwise`. */
int rule_unseen(struct rule_case *at, const struct probe_result *result, const char *otherwise);

/* 1 when the probe's child died (a crash, an abort, a hang, out of memory) while it was at a step
 * that begins with `step`: the breach is written. Of all rules that find a death, the one whose
 * descriptor has the least `death` is blamed: each probe builds on what simpler ones showed to
 * work. On a Python subclass of a type that survives the same, rule `subclass` reports it. */
int rule_ended(struct rule_case *at, const struct probe_result *result, const char *step);

/* The same at whatever step, on whatever form. 0. Where probe_clear_used(), it is a suspect:
 * no way of the collector's own leads there. */
int rule_death(struct rule_case *at, const struct probe_result *result);

/* Whether the child died. */
bool rule_died(const struct probe_result *result);

#endif
