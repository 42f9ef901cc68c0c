/* Weak references to an instance. Include pycompat.h first. */
#ifndef GCTAX_PROBE_WEAKREF_H
#define GCTAX_PROBE_WEAKREF_H

#include "probe.h"

/* "By count" and "by collector" as for finalizers. What a finalizer sees of a weak reference is the
 * release's own affair: on the way by count it sees the instance, and in a collection it does not
 * where the reference has a callback. */
#define PROBE_WEAKREF(X)                                                                           \
    X(FLAG, supported, "a weak reference to an instance can be made")                              \
    X(FLAG, leads_back, "it leads to the instance")                                                \
    X(FLAG, survives,                                                                              \
      "the instance was there after its last reference from outside went, and a collection "       \
      "destroyed it: it is in a cycle of its own making; nothing is seen of a death by count")     \
    X(COUNT, callbacks, "calls of its callback as the instance dies by count")                     \
    X(FLAG, dead_in_callback, "it led nowhere in the callback")                                    \
    X(FLAG, before_members, "the callback came before the death of a member")                      \
    X(FLAG, dead_after, "it led nowhere afterwards")                                               \
    X(COUNT, collector_callbacks, "calls of its callback as the instance dies by the collector")   \
    X(FLAG, collector_dead_in_callback, "it led nowhere in the callback")                          \
    X(FLAG, collector_dead_after, "it led nowhere afterwards")                                     \
    X(FLAG, alive_in_finalizer, "by count: it led to the instance in its tp_finalize")             \
    X(FLAG, collector_alive_in_finalizer, "by the collector: the same")

struct probe_weakref {
    PROBE_WEAKREF(PROBE_MEMBER)
};

extern const struct probe probe_weakref;

#endif
