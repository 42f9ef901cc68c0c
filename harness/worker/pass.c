/* What all passes have in common: the known start, and the end that leaves nothing. */
#include "cell_run.h"

#include <string.h>

static bool pass_is_mode(const struct cell_run *run, const char *mode)
{
    return strcmp(run->cell->gc_mode, mode) == 0;
}

static int pass_set_collector(struct cell_run *run)
{
    const struct cell *cell = run->cell;
    const uint64_t asked[3] = {cell->threshold0, cell->threshold1, cell->threshold2};
    uint64_t thresholds[3];

    for (int i = 0; i < 3; i++)
        thresholds[i] = asked[i] == CELL_UNSET ? run->default_thresholds[i] : asked[i];
    if (collector_set_thresholds(&run->collector, thresholds) < 0)
        return -1;
    return collector_call(run->automatic ? run->collector.enable : run->collector.disable);
}

int pass_begin(struct cell_run *run, const struct target *target)
{
    const struct cell *cell = run->cell;
    struct work *work = &run->work;
    const struct workload *workload = run->workload;

    if (collector_settle(&run->collector) < 0 || pass_set_collector(run) < 0)
        return -1;
    work->target = target;
    work->rng = run->request->seed;
    work->safepoint = cell->safepoint_every == 0 ? UINT64_MAX : cell->safepoint_every;
    work->collect_every = pass_is_mode(run, "manual") ? cell->collect_every : UINT64_MAX;
    work->made = work->dropped = work->freed = 0;
    work->until_safepoint = work->safepoint;
    work->until_collect = work->collect_every;
    if (workload->start != NULL && workload->start(work) < 0)
        goto fail;
    if (cell->live != CELL_UNSET && cell->live > 0 && collector_settle(&run->collector) < 0)
        goto fail;
    if (pass_is_mode(run, "frozen") && collector_call(run->collector.freeze) < 0)
        goto fail;
    work->until_safepoint = work->safepoint;
    work->until_collect = work->collect_every;
    work->explicit_collections = 0;
    return 0;
fail:
    return pass_end(run, -1);
}

int pass_end(struct cell_run *run, int failed)
{
    PyObject *type, *value, *traceback;

    /* Before verify(): what was frozen and has been dropped since can be collected again. */
    if (failed == 0)
        failed = collector_call(run->collector.unfreeze);
    if (failed == 0 && run->workload->verify != NULL)
        failed = run->workload->verify(&run->work);
    PyErr_Fetch(&type, &value, &traceback);
    run->workload->stop(&run->work);
    int unsettled = collector_settle(&run->collector);
    if (failed == 0)
        return unsettled;
    PyErr_Restore(type, value, traceback);
    return failed;
}

int pass_warmup(struct cell_run *run)
{
    struct laps laps = {0};

    if (run->workload->row->whole)
        return 0;
    if (pass_begin(run, &run->null) < 0)
        return -1;
    if (pass_end(run, run->workload->batch(&run->work, &laps)) < 0)
        return -1;
    if (pass_begin(run, &run->target) < 0)
        return -1;
    return pass_end(run, run->workload->batch(&run->work, &laps));
}

int pass_garbage(struct cell_run *run)
{
    if (run->workload->garbage == NULL)
        return 0;
    if (pass_begin(run, &run->target) < 0)
        return -1;
    return pass_end(run, run->workload->garbage(&run->work, run->row));
}
