/* Cycles through each slot. Include pycompat.h first. */
#ifndef GCTAX_PROBE_CYCLE_H
#define GCTAX_PROBE_CYCLE_H

#include "probe.h"

#define PROBE_CYCLE(X) X(COUNT, cycles, "cycles that were made of each kind, in each slot")

/* A partner is a planted object that refers to the instance; a pair is two instances in each
 * other's slot. Each kind is dropped and collected. */
#define PROBE_CYCLE_SLOT(X)                                                                        \
    X(COUNT, partner_left, "cycles with a partner left after one collection")                      \
    X(COUNT, partner_left_later, "of them: left after a second one")                               \
    X(COUNT, partner_left_more, "where some were: left of as many cycles that are made then")      \
    X(COUNT, pair_left, "instances in pairs left after one collection")                            \
    X(COUNT, pair_left_later, "of them: left after a second one")                                  \
    X(COUNT, pair_left_more, "where some were: left of as many that are made then")

struct probe_cycle {
    PROBE_CYCLE(PROBE_MEMBER)
    struct probe_cycle_slot {
        PROBE_CYCLE_SLOT(PROBE_MEMBER)
    } slot[];
};

/* How many of the cycles stay: none where as many more leave less, as a cache does that keeps the
 * last one. */
static inline int64_t probe_cycle_partners_stay(const struct probe_cycle_slot *seen)
{
    return seen->partner_left_later > 0 && seen->partner_left_more >= seen->partner_left_later
               ? seen->partner_left_later
               : 0;
}

static inline int64_t probe_cycle_pairs_stay(const struct probe_cycle_slot *seen)
{
    return seen->pair_left_later > 0 && seen->pair_left_more >= seen->pair_left_later
               ? seen->pair_left_later
               : 0;
}

extern const struct probe probe_cycle;

#endif
