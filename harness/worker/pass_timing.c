/* Means over batches, with nothing hooked, and the floor under them. */
#include "cell_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "procstat.h"

/* Time per operation over batches: Welford's running variance. */
struct series {
    uint64_t ticks, ops, batches;
    double mean, squares, least;
};

struct timing {
    struct series op, alloc, dealloc;
};

static void series_add(struct series *series, const struct lap *lap)
{
    if (lap->ops == 0)
        return;
    double each = (double)lap->ticks / (double)lap->ops;
    double distance = each - series->mean;
    series->least = series->batches == 0 || each < series->least ? each : series->least;
    series->batches++;
    series->ticks += lap->ticks;
    series->ops += lap->ops;
    series->mean += distance / (double)series->batches;
    series->squares += distance * (each - series->mean);
}

static int timing_batches(struct cell_run *run, uint64_t batches, struct timing *timing)
{
    for (uint64_t i = 0; i < batches; i++) {
        struct laps laps = {0};
        if (run->workload->batch(&run->work, &laps) < 0)
            return -1;
        series_add(&timing->op, &laps.op);
        series_add(&timing->alloc, &laps.alloc);
        series_add(&timing->dealloc, &laps.dealloc);
    }
    return 0;
}

/* Mean, minimum, deviation and floor stand in that order in metrics.def. */
static void timing_set(struct record *row, enum metric_id mean, const struct series *series,
                       const struct series *floor, double ns)
{
    if (series->ops == 0)
        return;
    record_set_real(row, mean, (double)series->ticks / (double)series->ops * ns);
    record_set_real(row, mean + 1, series->least * ns);
    if (series->batches > 1)
        record_set_real(row, mean + 2, sqrt(series->squares / (double)(series->batches - 1)) * ns);
    if (floor->ops != 0)
        record_set_real(row, mean + 3, floor->least * ns);
}

_Static_assert(CELLS_op_floor_ns == CELLS_op_mean_ns + 3, "the order that timing_set() goes by");
_Static_assert(CELLS_alloc_floor_ns == CELLS_alloc_mean_ns + 3, "the same");
_Static_assert(CELLS_dealloc_floor_ns == CELLS_dealloc_mean_ns + 3, "the same");

/* A counter that the kernel may not have, so that its difference is NaN. */
static void timing_count(struct record *row, enum metric_id id, double value)
{
    if (!isnan(value))
        record_set_count(row, id, (uint64_t)value);
}

static void timing_set_process(struct cell_run *run, const struct procstat *spent, uint64_t ops)
{
    struct record *row = run->row;
    const struct {
        const char *word;
        bool found;
    } disturbances[] = {
        {"preempted", spent->switches_involuntary > 0},
        {"migrated", spent->migrations > 0},
        {"stolen", spent->steal_s > 0},
        {"faulted",
         spent->faults_major > 0 || (strcmp(run->cell->arena, "prefault") == 0 && ops != 0 &&
                                     spent->faults_minor / (double)ops > 0.001)},
    };
    char noise[64] = "";
    size_t length = 0;

    for (size_t i = 0; i < sizeof disturbances / sizeof disturbances[0]; i++)
        if (disturbances[i].found)
            length += (size_t)snprintf(noise + length, sizeof noise - length, "%s%s",
                                       length == 0 ? "" : "+", disturbances[i].word);
    record_set_text(row, CELLS_noise, noise);
    if (ops != 0)
        record_set_real(row, CELLS_faults_per_op, spent->faults_minor / (double)ops);
    timing_count(row, CELLS_faults_major, spent->faults_major);
    record_set_real(row, CELLS_window_user_s, spent->user_s);
    record_set_real(row, CELLS_window_system_s, spent->system_s);
    timing_count(row, CELLS_switches_voluntary, spent->switches_voluntary);
    timing_count(row, CELLS_switches_involuntary, spent->switches_involuntary);
    timing_count(row, CELLS_migrations, spent->migrations);
    record_set_real(row, CELLS_steal_s, spent->steal_s);
}

static void timing_set_collections(struct cell_run *run, const struct collector_stats *before,
                                   const struct collector_stats *after)
{
    struct record *row = run->row;

    for (int i = 0; i < 3; i++)
        record_set_count(row, CELLS_collections_gen0 + (enum metric_id)i,
                         after->collections[i] - before->collections[i]);
    record_set_count(row, CELLS_collections_explicit, run->work.explicit_collections);
    record_set_count(row, CELLS_collected, after->collected - before->collected);
    record_set_count(row, CELLS_uncollectable, after->uncollectable - before->uncollectable);
}

static void timing_set_survivors(struct cell_run *run, enum metric_id id)
{
    const struct work *work = &run->work;

    if (work->target->destroyed != NULL)
        record_set_count(run->row, id,
                         work->made -
                             (GCTAX_COUNTED(*work->target->destroyed) - work->destroyed_before));
}

static void timing_set_sizes(struct record *row, enum metric_id id, uint64_t bytes)
{
    if (bytes != 0)
        record_set_count(row, id, bytes);
}

/* The batches of the target, with what the process and the collector did in them. */
static int timing_measure(struct cell_run *run, struct timing *timing)
{
    struct procstat before, after;
    struct collector_stats stats_before, stats_after;
    uint64_t thresholds[3];
    struct record *row = run->row;

    if (pass_begin(run, &run->target) < 0)
        return -1;
    int failed = collector_thresholds(&run->collector, thresholds);
    timing_set_sizes(row, CELLS_rss_start_bytes, procstat_resident());
    if (failed == 0)
        failed = collector_stats(&run->collector, &stats_before);
    procstat_reset_peak();
    procstat_read(&before);
    uint64_t begin = stopwatch_monotonic_ns();
    if (failed == 0)
        failed = timing_batches(run, run->cell->batches, timing);
    uint64_t end = stopwatch_monotonic_ns();
    procstat_read(&after);
    timing_set_sizes(row, CELLS_rss_peak_bytes, procstat_peak());
    timing_set_sizes(row, CELLS_rss_end_bytes, procstat_resident());
    timing_set_sizes(row, CELLS_pss_end_bytes, procstat_proportional());
    if (failed == 0)
        failed = collector_stats(&run->collector, &stats_after);
    if (failed == 0) {
        struct procstat spent = procstat_since(&before, &after);
        timing_set_process(run, &spent, timing->op.ops);
        timing_set_collections(run, &stats_before, &stats_after);
        timing_set_survivors(run, CELLS_survivors);
        run->floating_most = work_floating(&run->work);
        record_set_real(row, CELLS_window_s, (double)(end - begin) * 1e-9);
        for (int i = 0; i < 3; i++)
            record_set_count(row, CELLS_active_threshold0 + (enum metric_id)i, thresholds[i]);
    }
    if (failed == 0 && run->workload->report != NULL)
        run->workload->report(&run->work, row, stopwatch_ns_per_tick(run->stopwatch));
    failed = pass_end(run, failed);
    if (failed == 0)
        timing_set_survivors(run, CELLS_survivors_final);
    return failed;
}

int pass_timing(struct cell_run *run)
{
    enum { FLOOR_BATCHES = 10 };
    struct timing timing = {0}, floor = {0};
    uint64_t batches = run->cell->batches;

    if (timing_measure(run, &timing) < 0)
        return -1;
    if (!run->workload->row->whole) {
        if (pass_begin(run, &run->null) < 0)
            return -1;
        int failed = timing_batches(run, batches < FLOOR_BATCHES ? batches : FLOOR_BATCHES, &floor);
        if (pass_end(run, failed) < 0)
            return -1;
    }

    double ns = stopwatch_ns_per_tick(run->stopwatch);
    record_set_count(run->row, CELLS_operations, timing.op.ops);
    timing_set(run->row, CELLS_op_mean_ns, &timing.op, &floor.op, ns);
    timing_set(run->row, CELLS_alloc_mean_ns, &timing.alloc, &floor.alloc, ns);
    timing_set(run->row, CELLS_dealloc_mean_ns, &timing.dealloc, &floor.dealloc, ns);
    return 0;
}
