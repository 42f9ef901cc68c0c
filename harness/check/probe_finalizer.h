/* Finalizers: how often they run, and whether what they bring back stays. Include pycompat.h first.
 */
#ifndef GCTAX_PROBE_FINALIZER_H
#define GCTAX_PROBE_FINALIZER_H

#include "probe.h"

/* The calls of the type's tp_finalize are counted by wrapping it. "By count" an instance dies when
 * its last reference goes; "by the collector" it dies in a cycle with a planted object (not seen
 * where no slot closes one). A revived instance is one that the wrapper brings back. */
#define PROBE_FINALIZER(X)                                                                         \
    X(FLAG, have_gc, "the type has HAVE_GC: it can remember that it was finalized")                \
    X(FLAG, has_finalize, "the type has a tp_finalize; all that follows is about it")              \
    X(FLAG, survives,                                                                              \
      "an instance was there after its last reference from outside went, and a collection "        \
      "finalized it: it is in a cycle of its own making; nothing is seen of a death by count")     \
    X(COUNT, calls, "calls of it as an instance dies by count")                                    \
    X(COUNT, planted_left, "planted objects of that instance left")                                \
    X(FLAG, revives_itself, "the finalizer itself brought the instance back")                      \
    X(COUNT, collector_calls, "calls of it as an instance dies by the collector")                  \
    X(COUNT, collector_planted_left,                                                               \
      "planted objects of that instance left after two collections")                               \
    X(COUNT, revived_calls, "calls of it as an instance dies by count and is revived")             \
    X(FLAG, revived_whole, "a revived instance has its members and one reference")                 \
    X(COUNT, revived_again_calls, "further calls as it dies again by count")                       \
    X(COUNT, revived_left, "planted objects of it left then")                                      \
    X(COUNT, collector_revived_calls, "calls of it as one dies by the collector and is revived")   \
    X(FLAG, collector_revived_whole, "that one was not cleared and has its references")            \
    X(COUNT, collector_revived_again_calls, "further calls as it dies again by the collector")     \
    X(COUNT, collector_revived_left, "planted objects of it left after two collections")           \
    X(FLAG, raised, "an exception is in flight after a call that began without one")               \
    X(FLAG, exception_kept, "an exception in flight is still there after a call")

struct probe_finalizer {
    PROBE_FINALIZER(PROBE_MEMBER)
};

extern const struct probe probe_finalizer;

#endif
