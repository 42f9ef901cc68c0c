/* When the collector knows of an instance. Include pycompat.h first. */
#ifndef GCTAX_PROBE_TRACKING_H
#define GCTAX_PROBE_TRACKING_H

#include "probe.h"

#define PROBE_TRACKING(X)                                                                          \
    X(FLAG, have_gc, "the type has HAVE_GC")                                                       \
    X(FLAG, at_birth, "an instance with empty slots is tracked")                                   \
    X(FLAG, at_birth_later, "it still is after a collection")                                      \
    X(COUNT, steps_seen, "calls of the type's tp_alloc and tp_init in a construction")             \
    X(COUNT, steps_tracked, "of these: times that the incomplete instance was tracked then")       \
    X(COUNT, steps_collected,                                                                      \
      "collections in a construction: before tp_init, and as code in Python is called from it")

#define PROBE_TRACKING_SLOT(X)                                                                     \
    X(FLAG, with_atom, "tracked after an object that holds nothing (a str) was put there")         \
    X(FLAG, with_object, "tracked after a GC-capable object was put there")                        \
    X(FLAG, with_object_later, "tracked after a collection, too")                                  \
    X(FLAG, beside_atom,                                                                           \
      "tracked after an object was put there and then a str into each other slot")                 \
    X(FLAG, after_collection,                                                                      \
      "tracked after a collection and an object put there then, into an instance with empty "      \
      "slots")                                                                                     \
    X(COUNT, untracked_left,                                                                       \
      "cycles through an instance that was untracked in one of these, left after two collections")

struct probe_tracking {
    PROBE_TRACKING(PROBE_MEMBER)
    struct probe_tracking_slot {
        PROBE_TRACKING_SLOT(PROBE_MEMBER)
    } slot[];
};

extern const struct probe probe_tracking;

#endif
