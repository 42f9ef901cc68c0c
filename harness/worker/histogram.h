/* A histogram of 64-bit values: log-linear, of fixed size, mergeable.
 *
 * Values below 256 have a bucket each. Above, every power of two is cut into 128 equal buckets, so
 * a quantile, given as the upper edge of its bucket, is never below the exact one and above it by
 * less than 1/128 of it (0.79 %). Count, minimum and maximum are exact. 58 KiB; no allocation, no
 * Python, and recording has no branch that depends on the value. */
#ifndef GCTAX_HISTOGRAM_H
#define GCTAX_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
    uint64_t count;
    uint64_t min; /* UINT64_MAX while empty */
    uint64_t max; /* 0 while empty */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_reset(struct histogram *histogram);

static inline unsigned histogram_bucket(uint64_t value)
{
    /* floor(log2) beyond the bits that tell the buckets of one power of two apart. */
    unsigned shift = 63 - HISTOGRAM_SUB_BITS -
                     (unsigned)__builtin_clzll(value | (UINT64_C(1) << HISTOGRAM_SUB_BITS));
    return (shift << HISTOGRAM_SUB_BITS) + (unsigned)(value >> shift);
}

static inline void histogram_record(struct histogram *histogram, uint64_t value)
{
    histogram->buckets[histogram_bucket(value)]++;
    histogram->count++;
    histogram->min = value < histogram->min ? value : histogram->min;
    histogram->max = value > histogram->max ? value : histogram->max;
}

/* The largest value that falls into `bucket` (below HISTOGRAM_BUCKETS). */
uint64_t histogram_upper_edge(unsigned bucket);

/* Adds what `other` recorded. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* The value at rank ceil(count * numerator / denominator), rank 1 at least: upper edge of its
 * bucket, or the exact maximum where that is lower; 0 of an empty histogram. A fraction of two
 * integers, because 0.999 is no binary number and its rank would be off by one.
 * *beyond, where not NULL: how many recorded values lie in higher buckets. */
uint64_t histogram_quantile(const struct histogram *histogram, uint64_t numerator,
                            uint64_t denominator, uint64_t *beyond);

/* Are there samples enough for that quantile: 100 / (1 - q) at least? */
bool histogram_supports(const struct histogram *histogram, uint64_t numerator,
                        uint64_t denominator);

#endif
