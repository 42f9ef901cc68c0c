/* Long chains of instances. Include pycompat.h first. */
#ifndef GCTAX_PROBE_CHAIN_H
#define GCTAX_PROBE_CHAIN_H

#include "probe.h"

/* Facts: "deep_chain", the length of the longest chain that is tried; without it none is. In a
 * chain each instance is held by the next one, and the last is dropped, in a process of its own:
 * found is about where it begins to end in a crash. */
#define PROBE_CHAIN(X) X(COUNT, longest, "instances of the longest chain that was to be tried")

#define PROBE_CHAIN_SLOT(X)                                                                        \
    X(COUNT, survived, "instances of the longest chain that was destroyed")                        \
    X(COUNT, crashed, "instances of the shortest chain whose destruction crashed; 0: none did")    \
    X(COUNT, signal, "the signal of that crash")

struct probe_chain {
    PROBE_CHAIN(PROBE_MEMBER)
    struct probe_chain_slot {
        PROBE_CHAIN_SLOT(PROBE_MEMBER)
    } slot[];
};

extern const struct probe probe_chain;

#endif
