/* What is left after instances were made and destroyed. Include pycompat.h first. */
#ifndef GCTAX_PROBE_LIFETIME_H
#define GCTAX_PROBE_LIFETIME_H

#include "probe.h"

/* A round makes instances with all slots filled and destroys them: one by one by their reference
 * count, or all in cycles by the collector. The first rounds warm up and are not counted.
 * _growth is what rose from a round to the next, which did the same. Where something did, more
 * rounds are made, and the least of all is told: caches fill up, and are pruned now and then. */
#define PROBE_LIFETIME(X)                                                                          \
    X(COUNT, instances, "instances of a round")                                                    \
    X(COUNT, left, "of a round by reference count: instances left")                                \
    X(COUNT, planted_left, "planted objects left")                                                 \
    X(COUNT, blocks_growth, "growth in allocated blocks")                                          \
    X(COUNT, type_growth, "growth of the type's own reference count")                              \
    X(COUNT, base_growth, "growth of its base's")                                                  \
    X(COUNT, empty_blocks_growth,                                                                  \
      "growth in allocated blocks in a round with nothing put in after construction")              \
    X(COUNT, cycles, "instances of a round of cycles; none where no slot can close one")           \
    X(COUNT, cycles_left, "of such a round, after two collections: instances left")                \
    X(COUNT, cycles_planted_left, "planted objects left")                                          \
    X(COUNT, cycles_blocks_growth, "growth in allocated blocks")                                   \
    X(COUNT, cycles_type_growth, "growth of the type's own reference count")                       \
    X(COUNT, cycles_base_growth, "growth of its base's")                                           \
    X(FLAG, survives, "an instance is there after its last reference from outside went")           \
    X(FLAG, exception_kept, "an exception in flight is still there after a destruction")           \
    X(FLAG, raised, "an exception is in flight after a destruction that began without one")

struct probe_lifetime {
    PROBE_LIFETIME(PROBE_MEMBER)
};

extern const struct probe probe_lifetime;

#endif
