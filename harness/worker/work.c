#include "work.h"

int work_collect(struct work *work, int generation)
{
    work->explicit_collections++;
    return collector_collect(work->collector, generation, NULL);
}
