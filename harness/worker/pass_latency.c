/* Percentiles of single operations. */
#include "cell_run.h"

/* In ten-thousandths of a percent: a quantile is a fraction of two integers (histogram.h). */
enum { LATENCY_ALL = 1000000 };

static const struct {
    uint64_t quantile;
    enum metric_id column; /* of cells.csv; METRIC_COUNT: none */
} latency_quantiles[] = {
    {500000, CELLS_latency_p50_ns},      {750000, METRIC_COUNT},
    {900000, CELLS_latency_p90_ns},      {950000, METRIC_COUNT},
    {990000, CELLS_latency_p99_ns},      {995000, METRIC_COUNT},
    {999000, CELLS_latency_p99_9_ns},    {999500, METRIC_COUNT},
    {999900, CELLS_latency_p99_99_ns},   {999990, METRIC_COUNT},
    {LATENCY_ALL, CELLS_latency_max_ns},
};

static void latency_report(struct cell_run *run, double ns)
{
    const struct histogram *histogram = run->histogram;
    struct record row;

    record_init(&row, RECORD_LATENCY);
    for (size_t i = 0; i < sizeof latency_quantiles / sizeof latency_quantiles[0]; i++) {
        uint64_t quantile = latency_quantiles[i].quantile, beyond;
        if (quantile != LATENCY_ALL && !histogram_supports(histogram, quantile, LATENCY_ALL))
            continue;
        double value = (double)histogram_quantile(histogram, quantile, LATENCY_ALL, &beyond) * ns;
        if (latency_quantiles[i].column != METRIC_COUNT)
            record_set_real(run->row, latency_quantiles[i].column, value);
        record_set_real(&row, LATENCY_percentile, (double)quantile / 10000);
        record_set_real(&row, LATENCY_latency_ns, value);
        record_set_count(&row, LATENCY_samples, histogram->count);
        record_set_count(&row, LATENCY_samples_beyond, beyond);
        report_row(run->report, &row);
    }
    record_free(&row);
}

int pass_latency(struct cell_run *run)
{
    uint64_t samples = run->cell->samples;

    if (run->workload->sample == NULL || samples == CELL_UNSET || samples == 0)
        return 0;
    histogram_reset(run->histogram); /* writes to all of its pages */
    if (pass_begin(run, &run->target) < 0)
        return -1;
    if (pass_end(run, run->workload->sample(&run->work, samples, run->histogram)) < 0)
        return -1;
    record_set_count(run->row, CELLS_latency_samples, run->histogram->count);
    latency_report(run, stopwatch_ns_per_tick(run->stopwatch));
    return 0;
}
