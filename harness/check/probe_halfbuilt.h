/* Instances that tp_new made and tp_init never saw. Include pycompat.h first. */
#ifndef GCTAX_PROBE_HALFBUILT_H
#define GCTAX_PROBE_HALFBUILT_H

#include "probe.h"

#define PROBE_HALFBUILT(X)                                                                         \
    X(FLAG, made, "tp_new without arguments makes an instance")                                    \
    X(COUNT, visits, "visits of its traversal")                                                    \
    X(COUNT, nulls, "calls of the visitor with NULL")                                              \
    X(FLAG, collected, "a collection ran while it existed")                                        \
    X(FLAG, shown, "repr() was called on it; it may raise")                                        \
    X(FLAG, cleared, "tp_clear was called on it")                                                  \
    X(FLAG, destroyed, "it was destroyed")                                                         \
    X(FLAG, raised, "an exception is in flight after one of these")

struct probe_halfbuilt {
    PROBE_HALFBUILT(PROBE_MEMBER)
};

extern const struct probe probe_halfbuilt;

#endif
