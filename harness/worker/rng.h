/* Pseudo-random numbers for orders and choices, not for secrets: splitmix64, whose whole state is
 * one word, so that every pass of a cell can start from the same sequence. */
#ifndef GCTAX_RNG_H
#define GCTAX_RNG_H

#include <stddef.h>
#include <stdint.h>

/* The next 64 random bits. Any state is a good seed, 0 too. */
static inline uint64_t rng_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number below `bound` (at least 1, at most 2^32), by multiplication: no division in a timed
 * loop. The bias is below bound / 2^32. */
static inline uint64_t rng_below(uint64_t *state, uint64_t bound)
{
    return ((rng_next(state) >> 32) * bound) >> 32;
}

/* Shuffles `count` (at most 2^32) pointers, Fisher-Yates. */
static inline void rng_shuffle(uint64_t *state, void **items, size_t count)
{
    for (size_t left = count; left > 1; left--) {
        size_t other = (size_t)rng_below(state, left);
        void *item = items[left - 1];
        items[left - 1] = items[other];
        items[other] = item;
    }
}

#endif
