/* tp_clear, called as the collector calls it. Include pycompat.h first. */
#ifndef GCTAX_PROBE_CLEAR_H
#define GCTAX_PROBE_CLEAR_H

#include "probe.h"

#define PROBE_CLEAR(X)                                                                             \
    X(FLAG, has_clear, "the type has a tp_clear")                                                  \
    X(FLAG, raised, "an exception is in flight after it")                                          \
    X(COUNT, swallowed, "exceptions that it reported to sys.unraisablehook")                       \
    X(COUNT, visits_dropped, "visits, after it, of planted objects that it dropped")               \
    X(FLAG, shown, "its attributes were read, and repr() and the like called; they may raise")     \
    X(FLAG, refilled, "slots that are put into were filled again after it")                        \
    X(FLAG, destroyed, "the instance was destroyed after it")

#define PROBE_CLEAR_SLOT(X)                                                                        \
    X(COUNT, held, "references of one instance to a planted object in the slot")                   \
    X(COUNT, dropped_first, "references that the first call drops")                                \
    X(COUNT, dropped_second, "references that a second call drops")                                \
    X(COUNT, dropped_at_death, "references that destruction drops after both")                     \
    X(FLAG, seen_while_cleared, "what a call destroys is still visited while it dies")             \
    X(FLAG, seen_while_replaced,                                                                   \
      "what putting another object there destroys is still visited "                               \
      "while it dies")

struct probe_clear {
    PROBE_CLEAR(PROBE_MEMBER)
    struct probe_clear_slot {
        PROBE_CLEAR_SLOT(PROBE_MEMBER)
    } slot[];
};

extern const struct probe probe_clear;

/* What the collector does with an instance that it has found to be garbage: its finalizer runs, for
 * good, before tp_clear does. What it raises is dropped. */
void probe_clear_finalize(PyObject *self);

/* The last step was a use of a cleared instance that is none of the collector's: a crash there
 * takes code that meets the instance after its tp_clear. */
bool probe_clear_used(const struct probe_result *result);

#endif
