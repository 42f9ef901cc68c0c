/* The end of an interpreter in which instances live. Include pycompat.h first. */
#ifndef GCTAX_PROBE_SHUTDOWN_H
#define GCTAX_PROBE_SHUTDOWN_H

#include "probe.h"

/* Facts: "copy" and "copy_make", as for probe_stored.
 *
 * Each of these ends the interpreter in a process of its own. 0: it ended well; a signal's number;
 * below 0: it exited or hung. One with instances everywhere comes first: where it ends well, so
 * would each of the others, which are not tried then. */
#define PROBE_SHUTDOWN(X)                                                                          \
    X(COUNT, all, "the end with instances in all of the following")                                \
    X(COUNT, without, "the end without an instance")                                               \
    X(COUNT, in_sys, "the end with an instance that sys holds")                                    \
    X(COUNT, in_module, "… that __main__ holds")                                                   \
    X(COUNT, in_cycle, "… in a cycle with a planted object; unseen where no slot closes one")      \
    X(COUNT, in_copy, "… in a cycle, that a copy of its module holds, which nothing else holds")

struct probe_shutdown {
    PROBE_SHUTDOWN(PROBE_MEMBER)
};

extern const struct probe probe_shutdown;

#endif
