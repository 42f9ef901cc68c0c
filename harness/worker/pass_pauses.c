/* Collections, one by one: the batches again, with a callback in gc.callbacks. */
#include "cell_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSES_P50_LEAST = 10, PAUSES_P99_LEAST = 1000, PAUSES_GENERATIONS = 3 };

/* Time that the batches took, their own untimed parts left out: all automatic collections fall into
 * it. A workload whose collections are all explicit has them outside its laps too. */
struct pauses_window {
    uint64_t lap_ticks, wall_ticks, begin, cpu_ns;
};

static int pauses_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Durations of the collections of one kind, sorted; their number. */
static size_t pauses_select(const struct gchook *hook, bool is_explicit, uint32_t generation,
                            uint64_t *durations)
{
    size_t count = 0;

    for (size_t i = 0; i < hook->count; i++) {
        const struct gchook_record *record = &hook->records[i];
        if (record->is_explicit == is_explicit && record->generation == generation)
            durations[count++] = record->stop - record->start;
    }
    qsort(durations, count, sizeof *durations, pauses_compare);
    return count;
}

_Static_assert(CELLS_pauses_explicit_gen2 == CELLS_pauses_auto_gen0 + 4 * 5 &&
                   CELLS_pause_explicit_gen2_max_ns == CELLS_pauses_auto_gen0 + 4 * 5 + 3,
               "count, p50, p99 and maximum of each kind stand in this order");

/* The duration at rank ceil(count × percent / 100), from 1, of `count` > 0 sorted ones, ticks. */
static double pauses_rank(const uint64_t *durations, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return (double)durations[rank - 1];
}

static int pauses_set_kinds(struct cell_run *run, double ns)
{
    struct record *row = run->row;
    uint64_t *durations = calloc(GCHOOK_CAPACITY, sizeof *durations);

    if (durations == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int kind = 0; kind < 2 * PAUSES_GENERATIONS; kind++) {
        enum metric_id column = CELLS_pauses_auto_gen0 + (enum metric_id)(4 * kind);
        size_t count = pauses_select(&run->hook, kind >= PAUSES_GENERATIONS,
                                     (uint32_t)(kind % PAUSES_GENERATIONS), durations);
        record_set_count(row, column, count);
        if (count >= PAUSES_P50_LEAST)
            record_set_real(row, column + 1, pauses_rank(durations, count, 50) * ns);
        if (count >= PAUSES_P99_LEAST)
            record_set_real(row, column + 2, pauses_rank(durations, count, 99) * ns);
        if (count > 0)
            record_set_real(row, column + 3, (double)durations[count - 1] * ns);
    }
    free(durations);
    return 0;
}

static void pauses_set_shares(struct cell_run *run, const struct pauses_window *window, double ns)
{
    const struct gchook *hook = &run->hook;
    double callbacks = (double)(hook->count + hook->lost), pauses = 0;
    bool own_laps = !run->workload->row->explicit_only;
    double wall = (double)(own_laps ? window->lap_ticks : window->wall_ticks) * ns;
    double clock = (double)gchook_cpu_clock_cost_ns();
    double cpu = (double)window->cpu_ns - callbacks * run->hook_cost_ns;

    for (size_t i = 0; i < hook->count; i++)
        pauses += (double)(hook->records[i].stop - hook->records[i].start) * ns;
    wall -= callbacks * run->hook_cost_ns;
    record_set_real(run->row, CELLS_pause_window_s, wall * 1e-9);
    record_set_real(run->row, CELLS_pause_sum_s, pauses * 1e-9);
    if (hook->lost == 0 && wall > 0)
        record_set_real(run->row, CELLS_gc_share_ratio, pauses / wall);
    if (cpu > 0)
        record_set_real(run->row, CELLS_gc_cpu_share_ratio,
                        fmax(0, (double)hook->cpu_sum_ns - callbacks * clock) / cpu);
    record_set_count(run->row, CELLS_pauses_lost, hook->lost);
}

static void pauses_report(struct cell_run *run, uint64_t begin, double ns)
{
    const struct gchook *hook = &run->hook;
    struct record row;

    record_init(&row, RECORD_PAUSES);
    for (size_t i = 0; i < hook->count; i++) {
        const struct gchook_record *record = &hook->records[i];
        record_set_real(&row, PAUSES_start_ns, (double)(record->start - begin) * ns);
        record_set_real(&row, PAUSES_duration_ns, (double)(record->stop - record->start) * ns);
        record_set_count(&row, PAUSES_generation, record->generation);
        record_set_count(&row, PAUSES_explicit, record->is_explicit);
        record_set_count(&row, PAUSES_collected, record->collected);
        record_set_count(&row, PAUSES_uncollectable, record->uncollectable);
        if (run->target.destroyed != NULL)
            record_set_count(&row, PAUSES_destroyed, record->destroyed);
        if (record->candidates != UINT64_MAX)
            record_set_count(&row, PAUSES_candidates, record->candidates);
        record_set_real(&row, PAUSES_cpython_duration_ns, record->cpython_duration * 1e9);
        report_row(run->report, &row);
    }
    record_free(&row);
}

static int pauses_batches(struct cell_run *run, struct pauses_window *window)
{
    int failed = 0;

    window->cpu_ns = gchook_cpu_ns();
    window->begin = stopwatch_begin(run->stopwatch);
    for (uint64_t i = 0; i < run->cell->batches && failed == 0; i++) {
        struct laps laps = {0};
        failed = run->workload->batch(&run->work, &laps);
        window->lap_ticks += laps.op.ticks;
    }
    window->wall_ticks = stopwatch_end(run->stopwatch) - window->begin;
    window->cpu_ns = gchook_cpu_ns() - window->cpu_ns;
    gchook_note_floating(&run->hook);
    return failed;
}

int pass_pauses(struct cell_run *run)
{
    const struct workload_row *workload = run->workload->row;
    bool collects = strcmp(run->cell->gc_mode, "manual") == 0 || workload->explicit_only ||
                    (run->automatic && workload->retains);
    struct pauses_window window = {0};
    double cost;

    if (!collects)
        return 0;
    /* Opened here: a cell that records no collection is spared the ring's page faults. */
    if (gchook_open(&run->hook, run->stopwatch, &run->collector) < 0 ||
        gchook_cost_ticks(&run->hook, &run->collector, &cost) < 0 ||
        pass_begin(run, &run->target) < 0)
        return -1;
    int failed = gchook_install(&run->hook, &run->work);
    if (failed == 0) {
        failed = pauses_batches(run, &window);
        if (gchook_remove(&run->hook) < 0)
            failed = -1;
    }
    if (pass_end(run, failed) < 0)
        return -1;

    double ns = stopwatch_ns_per_tick(run->stopwatch);
    run->hook_cost_ns = cost * ns;
    if (run->hook.floating_most > run->floating_most)
        run->floating_most = run->hook.floating_most;
    record_set_real(run->row, CELLS_pause_hook_cost_ns, run->hook_cost_ns);
    pauses_set_shares(run, &window, ns);
    pauses_report(run, window.begin, ns);
    return pauses_set_kinds(run, ns);
}
