/* Memory over rounds of the same use. Include pycompat.h first. */
#ifndef GCTAX_PROBE_GROWTH_H
#define GCTAX_PROBE_GROWTH_H

#include "probe.h"

/* In a round instances are made, each slot is put into twice, and they are destroyed by their
 * reference count; then the collector runs. The first rounds warm up. "Least" is what rose from a
 * round to the next where it rose least, "fit" how well a straight line describes the rise over
 * rounds: r squared, in thousandths. Blocks are those of the interpreter's allocators; bytes those
 * of the C library's malloc(), where that tells. Where memory grows, more and larger rounds are
 * made, and are what is told. */
#define PROBE_GROWTH(X)                                                                            \
    X(COUNT, rounds, "rounds that were measured")                                                  \
    X(COUNT, instances, "instances of a round")                                                    \
    X(COUNT, puts, "objects put into slots in a round")                                            \
    X(COUNT, blocks_growth, "growth in allocated blocks over all rounds")                          \
    X(COUNT, blocks_least, "the least of a round")                                                 \
    X(COUNT, blocks_fit, "its fit")                                                                \
    X(COUNT, bytes_growth, "growth in bytes that malloc() has given")                              \
    X(COUNT, bytes_least, "the least of a round")                                                  \
    X(COUNT, bytes_fit, "its fit")

struct probe_growth {
    PROBE_GROWTH(PROBE_MEMBER)
};

/* Does it grow on a straight line, each round by half at least of what a leak of a block an
 * instance (of 16 bytes) would add? */
enum { PROBE_GROWTH_STRAIGHT = 980, PROBE_GROWTH_BYTES = 16 };

static inline bool probe_growth_of_blocks(const struct probe_growth *seen)
{
    return seen->blocks_fit >= PROBE_GROWTH_STRAIGHT && seen->blocks_least >= seen->instances / 2;
}

static inline bool probe_growth_of_bytes(const struct probe_growth *seen)
{
    return seen->bytes_fit >= PROBE_GROWTH_STRAIGHT &&
           seen->bytes_least >= PROBE_GROWTH_BYTES * seen->instances / 2;
}

extern const struct probe probe_growth;

#endif
