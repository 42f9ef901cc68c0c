/* The collector runs wherever it may. Include pycompat.h first. */
#ifndef GCTAX_PROBE_REENTRY_H
#define GCTAX_PROBE_REENTRY_H

#include "probe.h"

/* In a round an instance is made, each slot is put into twice, and the instance is destroyed. A
 * broken type crashes or hangs here: see how the child ended, and its last step. */
#define PROBE_REENTRY(X)                                                                           \
    X(COUNT, rounds, "rounds in which allocations ask for collections")                            \
    X(COUNT, steps, "their steps")                                                                 \
    X(COUNT, automatic, "collections in these rounds")                                             \
    X(COUNT, explicit,                                                                             \
      "collections in the rounds that call for one after each step; free-threaded "                \
      "builds, which have no generations, do without")                                             \
    X(COUNT, inside_finalizers, "collections called for by members as they are finalized")         \
    X(COUNT, inside_deaths, "collections called for by members as they are deallocated")           \
    X(COUNT, planted_left, "planted objects left after all")                                       \
    X(COUNT, swallowed, "exceptions that were reported to sys.unraisablehook")

struct probe_reentry {
    PROBE_REENTRY(PROBE_MEMBER)
};

extern const struct probe probe_reentry;

#endif
