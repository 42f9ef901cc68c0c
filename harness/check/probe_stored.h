/* An instance that its own module holds. Include pycompat.h first. */
#ifndef GCTAX_PROBE_STORED_H
#define GCTAX_PROBE_STORED_H

#include "probe.h"

/* Facts: "copy", a callable that returns a fresh copy of the type's module, or None where there is
 * none to be had; "copy_make", a callable that makes an instance of the copy's type from the copy.
 * A copy is left when it is there after it was dropped and two collections ran. */
#define PROBE_STORED(X)                                                                            \
    X(COUNT, copies, "copies of the module that were made of each kind")                           \
    X(COUNT, bare_left, "of those in which nothing was made: left")                                \
    X(COUNT, used_left, "of those in which an instance was made and dropped: left")                \
    X(COUNT, stored_left, "of those that hold an instance as an attribute: left")

struct probe_stored {
    PROBE_STORED(PROBE_MEMBER)
};

/* Of all copies the last one alone may be left for a place that the interpreter has for one: its
 * table of modules, a cache. Only what keeps each is a leak. */
static inline bool probe_stored_left(const struct probe_stored *seen, int64_t left)
{
    return seen->copies > 0 && left == seen->copies;
}

/* Copies stay for the instance that they hold, and for nothing else. */
static inline bool probe_stored_for_instance(const struct probe_stored *seen)
{
    return probe_stored_left(seen, seen->stored_left) &&
           !probe_stored_left(seen, seen->bare_left) && !probe_stored_left(seen, seen->used_left);
}

extern const struct probe probe_stored;

#endif
