#include "histogram.h"

#include <string.h>

void histogram_reset(struct histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->min = UINT64_MAX;
}

uint64_t histogram_upper_edge(unsigned bucket)
{
    if (bucket < (2u << HISTOGRAM_SUB_BITS))
        return bucket;
    unsigned shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
    uint64_t low = (uint64_t)(bucket - (shift << HISTOGRAM_SUB_BITS)) << shift;
    return low + ((UINT64_C(1) << shift) - 1);
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        histogram->buckets[bucket] += other->buckets[bucket];
    histogram->count += other->count;
    if (other->min < histogram->min)
        histogram->min = other->min;
    if (other->max > histogram->max)
        histogram->max = other->max;
}

/* ceil(count * numerator / denominator), at least 1. */
static uint64_t histogram_rank(uint64_t count, uint64_t numerator, uint64_t denominator)
{
    unsigned __int128 product = (unsigned __int128)count * numerator;
    uint64_t rank = (uint64_t)((product + denominator - 1) / denominator);
    return rank == 0 ? 1 : rank;
}

uint64_t histogram_quantile(const struct histogram *histogram, uint64_t numerator,
                            uint64_t denominator, uint64_t *beyond)
{
    uint64_t rank = histogram_rank(histogram->count, numerator, denominator);
    uint64_t seen = 0, value = histogram->max;

    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS && seen < rank; bucket++) {
        seen += histogram->buckets[bucket];
        if (seen >= rank)
            value = histogram_upper_edge(bucket);
    }
    if (beyond != NULL)
        *beyond = histogram->count - seen;
    return value < histogram->max ? value : histogram->max;
}

bool histogram_supports(const struct histogram *histogram, uint64_t numerator, uint64_t denominator)
{
    return (unsigned __int128)histogram->count * (denominator - numerator) >=
           (unsigned __int128)100 * denominator;
}
