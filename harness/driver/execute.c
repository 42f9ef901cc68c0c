/* The loop of a run: job after job, each one's rows on disk before the next begins. */
#include "run.h"

#include "progress.h"
#include "sysinfo.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* Failures that the summary shows with the command that repeats them. */
#define SHOWN 3

enum tally { OK, SKIPPED, CRASH, TIMEOUT, OUT_OF_MEMORY, ERROR, TALLIES };
static const char *const statuses[TALLIES] = {"ok",      "skipped",       "crash",
                                              "timeout", "out-of-memory", "error"};

struct execution {
    const struct run *run;
    struct journal *journal;
    struct runner_limits limits;
    struct sysinfo_columns machine;
    struct progress progress;
    uint64_t sequence; /* of the next row */
    size_t tallies[TALLIES];
    struct csv shown; /* lines for the summary */
    size_t shown_count;
};

/* ---- rows ---- */

/* A row of environment.csv. */
static void fact(struct csv *text, const char *run_id, const char *scope, const char *key,
                 const char *value)
{
    struct record record;
    record_init(&record, RECORD_ENVIRONMENT);
    record_set_text(&record, ENVIRONMENT_run_id, run_id);
    record_set_text(&record, ENVIRONMENT_scope, scope);
    record_set_text(&record, ENVIRONMENT_key, key);
    record_set_text(&record, ENVIRONMENT_value, value);
    text->failed |= record_line(&record, text) != 0;
    csv_raw(text, "\r\n", 2);
    record_free(&record);
}

struct facts {
    struct csv *text;
    const char *run_id;
};

static void machine_fact(void *context, const char *key, const char *value)
{
    const struct facts *facts = context;
    fact(facts->text, facts->run_id, "machine", key, value);
}

int run_environment(const struct run *run, int argc, const char **argv, struct csv *text)
{
    struct facts facts = {text, run->id};
    char value[4096];
    size_t used = 0;
    record_header(RECORD_ENVIRONMENT, text);
    csv_raw(text, "\r\n", 2);
    sysinfo_each(machine_fact, &facts);
    fact(text, run->id, "driver", "gctax_version", GCTAX_VERSION);
    used = (size_t)snprintf(value, sizeof value, "gctax");
    for (int i = 0; i < argc && used + 8 < sizeof value; i++) {
        value[used++] = ' ';
        used += text_shell_quote(value + used, sizeof value - used, argv[i]);
    }
    fact(text, run->id, "driver", "command", value);
    snprintf(value, sizeof value, "%g", run->options.timeout_s);
    fact(text, run->id, "driver", "timeout_s", value);
    snprintf(value, sizeof value, "%" PRIu64, run->memory_limit_bytes);
    fact(text, run->id, "driver", "memory_limit_bytes",
         run->memory_limit_bytes == UINT64_MAX ? "none" : value);
    snprintf(value, sizeof value, "%" PRIu64, run->options.shuffle_seed);
    fact(text, run->id, "driver", "seed", value);
    fact(text, run->id, "driver", "shard", run->options.shard ? run->options.shard : "1/1");
    /* What was kept from the workers, a fact a variable. */
    for (const char *at = run->workers.scrubbed.data; at && *at; at = strchr(at, '\n') + 1) {
        int name = (int)strcspn(at, "=\n"), length = (int)strcspn(at, "\n");
        char key[256];
        snprintf(key, sizeof key, "scrubbed %.*s", name, at);
        snprintf(value, sizeof value, "%.*s", length > name ? length - name - 1 : 0, at + name + 1);
        fact(text, run->id, "driver", key, value);
    }
    for (size_t w = 0; w < run->workers.count; w++) {
        const struct worker *worker = &run->workers.list[w];
        used = 0;
        for (size_t i = 0; i < worker->words && used + 8 < sizeof value; i++) {
            if (i)
                value[used++] = ' ';
            used += text_shell_quote(value + used, sizeof value - used, worker->argv[i]);
        }
        fact(text, run->id, worker->name, "command", value);
        for (size_t f = 0; f < worker->fact_count; f++)
            fact(text, run->id, worker->name, worker->facts[f].key, worker->facts[f].value);
    }
    return text->failed ? -1 : 0;
}

/* What the row of a cell that printed none has of the worker: what describe said. */
static void fill_identity(struct record *row, const struct worker *worker)
{
    record_set_text(row, CELLS_python_version, workers_fact(worker, "python_version"));
    record_set_text(row, CELLS_python_build, workers_fact(worker, "python_build"));
    record_set_text(row, CELLS_linkage, workers_fact(worker, "linkage"));
    record_set_text(row, CELLS_python_compiler, workers_fact(worker, "python_compiler"));
    record_set_text(row, CELLS_ext_compiler, workers_fact(worker, "ext_compiler"));
    record_set_text(row, CELLS_libc, workers_fact(worker, "libc"));
}

/* Is the row one of the cell that was asked for? */
static bool is_of(const struct record *row, const struct cell *cell)
{
    struct record asked;
    bool same = true;
    record_init(&asked, RECORD_CELLS);
    cell_record(cell, &asked);
#define CELL(field, type, default_, unit, doc)                                                     \
    same &= !strcmp(record_get(row, CELLS_##field), record_get(&asked, CELLS_##field));
#include "cell.def"
#undef CELL
    record_free(&asked);
    return same;
}

static void iso_time(char text[32])
{
    struct timeval now;
    struct tm utc;
    char stamp[24];
    gettimeofday(&now, NULL);
    gmtime_r(&now.tv_sec, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, 32, "%s.%03dZ", stamp, (int)(now.tv_usec / 1000));
}

/* Rows of pauses or latency as they go into the file: the driver's four columns come first and are
 * empty in what the worker printed, so ours take the place of the first commas. */
static void copy_rows(struct csv *text, const struct csv *rows, const struct plan_job *job,
                      const struct execution *x)
{
    char repeat[16];
    snprintf(repeat, sizeof repeat, "%u", job->repeat);
    for (const char *at = rows->data, *feed; at && *at; at = feed + 1) {
        feed = strchr(at, '\n');
        csv_field(text, true, x->run->id);
        csv_field(text, false, job->cell->id);
        csv_field(text, false, x->run->workers.list[job->worker].name);
        csv_field(text, false, repeat);
        const char *rest = at + strspn(at, ",");
        rest = rest > at + 4 ? at + 4 : rest;
        csv_raw(text, ",", 1);
        csv_raw(text, rest, (size_t)(feed - rest));
        csv_raw(text, "\r\n", 2);
    }
}

static int commit(struct execution *x, const struct plan_job *job, struct record *row,
                  const struct runner_result *result, bool with_rows)
{
    struct csv texts[JOURNAL_TABLES] = {{0}};
    record_set_text(row, CELLS_run_id, x->run->id);
    record_set_text(row, CELLS_cell_id, job->cell->id);
    record_set_count(row, CELLS_repeat, job->repeat);
    record_set_text(row, CELLS_worker, x->run->workers.list[job->worker].name);
    record_set_count(row, CELLS_sequence, x->sequence);
    record_set_text(row, CELLS_cpu_model, x->machine.cpu_model);
    record_set_text(row, CELLS_governor, x->machine.governor);
    record_set_text(row, CELLS_aslr, x->machine.aslr);
    record_set_text(row, CELLS_thp, x->machine.thp);
    int result_code = record_line(row, &texts[RECORD_CELLS]);
    csv_raw(&texts[RECORD_CELLS], "\r\n", 2);
    if (with_rows) {
        copy_rows(&texts[RECORD_PAUSES], &result->rows[RECORD_PAUSES], job, x);
        copy_rows(&texts[RECORD_LATENCY], &result->rows[RECORD_LATENCY], job, x);
    }
    for (int table = 0; table < JOURNAL_TABLES; table++)
        if (texts[table].failed)
            result_code = -1;
    if (result_code) {
        complain_memory();
    } else if (journal_commit(x->journal, texts)) {
        result_code = -1;
        progress_end(&x->progress);
        complain(EXIT_ENVIRONMENT,
                 "cannot write the row: %s; what is written is valid, make room and "
                 "go on with --resume",
                 strerror(errno));
    }
    for (int table = 0; table < JOURNAL_TABLES; table++)
        csv_free(&texts[table]);
    x->sequence += result_code == 0;
    return result_code;
}

/* ---- jobs ---- */

static void name_job(const struct execution *x, const struct plan_job *job, char *text, size_t size)
{
    const struct cell *cell = &job->cell->cell;
    char number[CELL_COUNT_SIZE];
    int used = snprintf(text, size, "%s %s", cell->workload, cell->target);
    for (int f = CELL_n; f < CELL_FIELDS && used < (int)size; f++) {
        enum cell_field field = (enum cell_field)f;
        if (!cell_is_default(cell, field) && field != CELL_batches && field != CELL_samples)
            used += snprintf(text + used, size - (size_t)used, " %s=%s", cell_parameters[f].name,
                             cell_get(cell, field, number));
    }
    if (used < (int)size)
        snprintf(text + used, size - (size_t)used, " on %s, repeat %u",
                 x->run->workers.list[job->worker].name, job->repeat);
}

static void show_failure(struct execution *x, const struct plan_job *job, const char *const *argv,
                         const char *status, const char *detail)
{
    char what[512], command[8192];
    size_t used = 0;
    name_job(x, job, what, sizeof what);
    progress_line(&x->progress, "%s: %s: %s", status, what, detail);
    if (x->shown_count++ >= SHOWN)
        return;
    for (; *argv && used + 8 < sizeof command; argv++) {
        command[used++] = ' ';
        used += text_shell_quote(command + used, sizeof command - used, *argv);
    }
    csv_raw(&x->shown, " ", 1);
    csv_raw(&x->shown, command, used);
    csv_raw(&x->shown, "\n", 1);
}

static void count_status(struct execution *x, const char *status)
{
    for (int i = 0; i < TALLIES; i++)
        if (!strcmp(statuses[i], status))
            x->tallies[i]++;
}

static bool failed(const char *status)
{
    return strcmp(status, "ok") && strcmp(status, "skipped");
}

static int skip_job(struct execution *x, const struct plan_job *job, const char *why)
{
    struct record row;
    record_init(&row, RECORD_CELLS);
    cell_record(&job->cell->cell, &row);
    fill_identity(&row, &x->run->workers.list[job->worker]);
    record_set_text(&row, CELLS_status, "skipped");
    record_set_text(&row, CELLS_detail, why);
    int result = commit(x, job, &row, NULL, false);
    record_free(&row);
    count_status(x, "skipped");
    progress_done(&x->progress, false, false);
    return result;
}

/* The row of a job that was run. Returns its status. */
static const char *fill_row(const struct execution *x, const struct plan_job *job,
                            struct runner_result *result, char *detail)
{
    struct record *row = &result->cells;
    char pinned[16];
    const char *status = runner_status(result, &x->limits, detail);
    if (result->has_cells && !is_of(row, &job->cell->cell)) {
        snprintf(detail, RUNNER_TEXT_SIZE, "worker printed the row of another cell");
        status = "error";
        record_clear(row);
        result->has_cells = false;
    }
    if (!result->has_cells) {
        cell_record(&job->cell->cell, row);
        fill_identity(row, &x->run->workers.list[job->worker]);
    }
    bool known = false;
    for (int i = 0; i < TALLIES; i++)
        known |= !strcmp(statuses[i], status);
    if (!known) {
        snprintf(detail, RUNNER_TEXT_SIZE, "worker printed an unknown status");
        status = "error";
    }
    for (int i = 0; i < TALLIES; i++) /* outlives the record */
        if (!strcmp(statuses[i], status))
            status = statuses[i];
    record_set_text(row, CELLS_status, status);
    record_set_text(row, CELLS_detail, detail);
    snprintf(pinned, sizeof pinned, "%d", x->run->options.pin_cpu);
    record_set_text(row, CELLS_pinned_cpu, x->run->options.pin_cpu < 0 ? "none" : pinned);
    record_set_real(row, CELLS_wall_s, result->wall_s);
    if (result->outcome != RUNNER_FAILED) {
        record_set_real(row, CELLS_user_s, result->end.user_s);
        record_set_real(row, CELLS_system_s, result->end.system_s);
    }
    if (result->resident_peak_bytes)
        record_set_count(row, CELLS_group_rss_peak_bytes, result->resident_peak_bytes);
    return status;
}

static int run_job(struct execution *x, const struct plan_job *job)
{
    struct runner_result result;
    char what[512], started[32], detail[RUNNER_TEXT_SIZE * 2], *block;
    double load = sysinfo_load1();
    const char **argv = run_arguments(x->run, job, &block);
    if (!argv) {
        complain_memory();
        return -1;
    }
    name_job(x, job, what, sizeof what);
    progress_cell(&x->progress, what);
    iso_time(started);
    struct process_start start = {argv, x->run->workers.environment, x->run->options.pin_cpu};
    runner_run(&start, &x->limits, &result);
    int code = 0;
    if (result.outcome != RUNNER_INTERRUPTED) {
        const char *status = fill_row(x, job, &result, detail);
        record_set_text(&result.cells, CELLS_started, started);
        record_set_real(&result.cells, CELLS_load1, load);
        code = commit(x, job, &result.cells, &result, result.has_cells);
        if (!code) {
            count_status(x, status);
            progress_done(&x->progress, true, failed(status));
            if (failed(status))
                show_failure(x, job, argv, status, detail);
        }
    }
    runner_free(&result);
    free(argv);
    free(block);
    return code;
}

static void summarize(struct execution *x, double seconds)
{
    char text[256];
    size_t used = 0, rows = 0;
    for (int i = 0; i < TALLIES; i++) {
        rows += x->tallies[i];
        if (x->tallies[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", used ? ", " : "",
                                     x->tallies[i], statuses[i]);
    }
    progress_end(&x->progress);
    fprintf(stderr, "gctax: %zu rows in %.1f s%s%s\n", rows, seconds, used ? ": " : "",
            used ? text : "");
    if (x->shown.length)
        fprintf(stderr, "gctax: to repeat %s:\n%s",
                x->shown_count > SHOWN ? "the first that failed" : "what failed", x->shown.data);
}

int run_execute(const struct run *run, struct journal *journal)
{
    struct execution x = {.run = run,
                          .journal = journal,
                          .limits = {run->options.timeout_s, run->memory_limit_bytes},
                          .sequence = journal->committed_count};
    size_t jobs = plan_jobs(&run->plan, run->workers.count, run->repeats), left = 0, to_measure = 0;
    char reason[PLAN_REASON_SIZE];
    int code = EXIT_WELL;
    sysinfo_columns(&x.machine);
    for (int pass = 0; pass < 2 && code == EXIT_WELL; pass++) {
        if (pass)
            progress_begin(&x.progress, left, to_measure);
        for (size_t i = 0; i < jobs && code == EXIT_WELL; i++) {
            struct plan_job job = plan_job(&run->plan, run->workers.count, i);
            if (journal_has(journal, job.cell->id, run->workers.list[job.worker].name, job.repeat))
                continue;
            const char *why = run_skip(run, &job, reason);
            if (!pass) {
                left++;
                to_measure += !why;
            } else if (why ? skip_job(&x, &job, why) : run_job(&x, &job)) {
                code = EXIT_ENVIRONMENT;
            }
            if (process_interrupted())
                code = 128 + process_interrupted();
        }
    }
    summarize(&x, process_now() - x.progress.began);
    csv_free(&x.shown);
    if (code > 128)
        complain(EXIT_FINDING, "stopped by a signal; what is written is valid, --resume goes on");
    else if (code == EXIT_WELL && x.tallies[OK] + x.tallies[SKIPPED] < left)
        code = EXIT_FINDING;
    return code;
}
