/* Seeds of a worker's process: functions of the run's seed and the repeat alone, so that all
 * workers share them. Knows nothing of Python: the hosted launcher needs the hash seed before there
 * is an interpreter. */
#ifndef GCTAX_WORKER_SEED_H
#define GCTAX_WORKER_SEED_H

#include "rng.h"

enum worker_seed_use { WORKER_SEED_HASH = 1, WORKER_SEED_WORKLOAD = 2 };

static inline uint64_t worker_seed(uint64_t seed, uint64_t repeat, enum worker_seed_use use)
{
    uint64_t state = seed;
    state = rng_next(&state) ^ repeat;
    state = rng_next(&state) ^ (uint64_t)use;
    return rng_next(&state);
}

/* What PyConfig.hash_seed and PYTHONHASHSEED take; never 0, which would turn randomisation off. */
static inline uint32_t worker_hash_seed(uint64_t seed, uint64_t repeat)
{
    uint32_t hash_seed = (uint32_t)worker_seed(seed, repeat, WORKER_SEED_HASH);
    return hash_seed == 0 ? 1 : hash_seed;
}

#endif
