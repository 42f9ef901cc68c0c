#include "work.h"

uint64_t work_floating(const struct work *work)
{
    if (work->target->destroyed == NULL)
        return 0;
    uint64_t destroyed = GCTAX_COUNTED(*work->target->destroyed) - work->destroyed_before;
    /* Negative for a moment where a workload counts what it frees after it has freed it. */
    int64_t floating = (int64_t)(work->dropped + work->freed - destroyed);
    return floating < 0 ? 0 : (uint64_t)floating;
}

int work_collect(struct work *work, int generation)
{
    work->explicit_collections++;
    return collector_collect(work->collector, generation, NULL);
}
