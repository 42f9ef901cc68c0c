/* Instances in several threads. Include pycompat.h first. */
#ifndef GCTAX_PROBE_THREADS_H
#define GCTAX_PROBE_THREADS_H

#include "probe.h"

/* Facts: "threads_long", anything: ten times as long, since a race may be rare.
 *
 * Threads make, fill and destroy instances of their own, put into one that they share and read it,
 * while the collector runs between. With a GIL they take turns as often as it lets them. A broken
 * type crashes or hangs here: see how the child ended, and its last step. */
#define PROBE_THREADS(X)                                                                           \
    X(COUNT, threads, "threads that came to their end")                                            \
    X(COUNT, turns, "rounds of all threads")                                                       \
    X(COUNT, collections, "collections between them")                                              \
    X(COUNT, released, "references to what was put into slots that were released once too often")  \
    X(COUNT, kept, "references to it that are left after all instances were destroyed")            \
    X(COUNT, kept_once,                                                                            \
      "where some were: how many after the first of two times that all was done")                  \
    X(FLAG, gil, "one thread runs at a time")

struct probe_threads {
    PROBE_THREADS(PROBE_MEMBER)
};

extern const struct probe probe_threads;

#endif
