/* Whether an instance is untracked before its members die. Include pycompat.h first. */
#ifndef GCTAX_PROBE_UNTRACK_H
#define GCTAX_PROBE_UNTRACK_H

#include "probe.h"

#define PROBE_UNTRACK(X) X(FLAG, have_gc, "the type has HAVE_GC")

/* A planted object that the instance alone holds looks at it while it dies. */
#define PROBE_UNTRACK_SLOT(X)                                                                      \
    X(FLAG, dying, "it died inside the instance's own deallocation")                               \
    X(FLAG, tracked, "the instance, without a reference left, was still tracked then")

struct probe_untrack {
    PROBE_UNTRACK(PROBE_MEMBER)
    struct probe_untrack_slot {
        PROBE_UNTRACK_SLOT(PROBE_MEMBER)
    } slot[];
};

extern const struct probe probe_untrack;

#endif
