/* What tp_traverse visits, against what the instance owns. Include pycompat.h first. */
#ifndef GCTAX_PROBE_VISITS_H
#define GCTAX_PROBE_VISITS_H

#include "probe.h"

/* Owned references are what the reference count of a referent rises by when instances are made.
 * "Shared" are GC-capable objects that each instance refers to, beside its type and module. */
#define PROBE_VISITS(X)                                                                            \
    X(FLAG, have_gc, "the type has HAVE_GC")                                                       \
    X(FLAG, heap_type, "the type is a heap type")                                                  \
    X(COUNT, instances, "instances that were made to count the references to what they share")     \
    X(COUNT, type_owned, "references to the type that these own")                                  \
    X(COUNT, type_visited, "visits of the type by these")                                          \
    X(COUNT, type_within, "visits of it by objects that only these refer to")                      \
    X(COUNT, module_owned, "references to the type's module")                                      \
    X(COUNT, module_visited, "visits of the type's module")                                        \
    X(COUNT, module_within, "visits of it by objects that only these refer to")                    \
    X(COUNT, shared, "other shared referents")                                                     \
    X(COUNT, shared_over, "of them: visited more often than owned")                                \
    X(COUNT, shared_twice, "of these: owned, all the same")                                        \
    X(COUNT, shared_under, "of them: visited less often than owned")                               \
    X(COUNT, private_over,                                                                         \
      "referents of one instance alone that it visits more often than there "                      \
      "are references to them")                                                                    \
    X(COUNT, self_owned, "references to an instance that nobody but it can own")                   \
    X(COUNT, self_visited, "visits of the instance by its own traversal")                          \
    X(COUNT, nulls, "calls of the visitor with NULL")                                              \
    X(COUNT, visits, "visits of one traversal of an instance with all slots filled")               \
    X(COUNT, stops_ignored,                                                                        \
      "of these: positions where a visitor's nonzero result did not end the "                      \
      "traversal at once")                                                                         \
    X(COUNT, stops_altered,                                                                        \
      "of these: positions where another value than the visitor's came back")                      \
    X(FLAG, referrer_missed,                                                                       \
      "gc.get_referrers() of an object that it visits does not name the instance")                 \
    X(FLAG, repeatable, "two traversals visit the same objects as often")                          \
    X(COUNT, counts_changed, "referents whose reference count a traversal changed")                \
    X(COUNT, allocations, "allocations during one traversal")                                      \
    X(FLAG, raised, "an exception is in flight after it")                                          \
    X(FLAG, exception_kept, "an exception in flight is still there after it")

#define PROBE_VISITS_SLOT(X)                                                                       \
    X(COUNT, owned,                                                                                \
      "references to a planted object that instances own after it was put there; unseen where "    \
      "it is not one each")                                                                        \
    X(COUNT, visited, "visits of it by these instances")                                           \
    X(COUNT, visited_within, "visits of it by objects that only these instances refer to")

struct probe_visits {
    PROBE_VISITS(PROBE_MEMBER)
    struct probe_visits_slot {
        PROBE_VISITS_SLOT(PROBE_MEMBER)
    } slot[];
};

extern const struct probe probe_visits;

#endif
