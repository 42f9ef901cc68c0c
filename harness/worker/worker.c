#include "cell_run.h"

#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "interp.h"
#include "target_kinds.h"
#include "variant.h"
#include "worker_check.h"
#include "worker_seed.h"

int worker_open(struct worker *worker, int argc, char **argv)
{
    *worker = (struct worker){0};
    stopwatch_open(&worker->stopwatch);
    if (worker_arguments_parse(&worker->arguments, argc, argv) < 0)
        return WORKER_USAGE;
    if (worker->arguments.command == WORKER_HELP) {
        worker_help(argv[0]);
        return WORKER_OK;
    }
    if (report_open(&worker->report) < 0) {
        perror("gctax-worker: standard output");
        return WORKER_NO_INTERPRETER;
    }
    if (worker->arguments.command == WORKER_CHECK)
        return WORKER_OK; /* prints JSON lines and nothing else */
    report_protocol(&worker->report);
    report_phase(&worker->report, "start");
    return WORKER_OK;
}

static int worker_end(struct worker *worker)
{
    report_phase(&worker->report, "end");
    if (worker->report.failed)
        fprintf(stderr, "gctax-worker: cannot write to standard output\n");
    worker_arguments_free(&worker->arguments);
    return worker->report.failed ? WORKER_NO_INTERPRETER : WORKER_OK;
}

int worker_skip(struct worker *worker, const char *detail)
{
    struct record row;

    if (worker->arguments.command == WORKER_CHECK) {
        fprintf(stderr, "gctax-worker: %s\n", detail);
        return WORKER_NO_INTERPRETER;
    }
    record_init(&row, RECORD_CELLS);
    cell_record(&worker->arguments.cell, &row);
    record_set_text(&row, CELLS_status, "skipped");
    record_set_text(&row, CELLS_detail, detail);
    report_row(&worker->report, &row);
    record_free(&row);
    return worker_end(worker);
}

static int worker_describe(struct worker *worker)
{
    struct report *report = &worker->report;
    struct utsname machine;
    struct collector collector;
    uint64_t thresholds[3];
    char text[32];

    report_fact(report, "python_version", interp_version());
    report_fact(report, "python_build", interp_build());
    report_fact(report, "python_compiler", interp_compiler());
    report_fact(report, "linkage", GCTAX_LINKAGE);
    report_fact(report, "ext_compiler", GCTAX_EXT_COMPILER);
    report_fact(report, "libc", interp_libc());
    report_fact(report, "executable", GCTAX_PYTHON_EXECUTABLE);
    snprintf(text, sizeof text, "%u", interp_release());
    report_fact(report, "release", text);
    report_fact(report, "free_threaded", interp_free_threaded() ? "1" : "0");
    report_fact(report, "debug", interp_debug() ? "1" : "0");
    report_fact(report, "arch", uname(&machine) == 0 ? machine.machine : "");
    snprintf(text, sizeof text, "%zu", sizeof(void *));
    report_fact(report, "pointer_bytes", text);
    if (collector_open(&collector) < 0 || collector_thresholds(&collector, thresholds) < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        char key[] = "default_threshold0";
        key[sizeof key - 2] = (char)('0' + i);
        snprintf(text, sizeof text, "%llu", (unsigned long long)thresholds[i]);
        report_fact(report, key, text);
    }
    collector_close(&collector);
    return 0;
}

/* One line on standard error from the current exception. */
static int worker_fail(const char *prefix)
{
    char line[1024];

    target_fail_exception(line, sizeof line, prefix);
    fprintf(stderr, "gctax-worker: %s\n", line);
    return WORKER_NO_INTERPRETER;
}

static int worker_command(struct worker *worker, const char *base)
{
    const struct worker_arguments *arguments = &worker->arguments;
    struct cell_request request = {
        .cell = arguments->cell,
        .hash_seed = worker_hash_seed(arguments->seed, arguments->repeat),
        .seed = worker_seed(arguments->seed, arguments->repeat, WORKER_SEED_WORKLOAD),
        .venv = arguments->venv != NULL,
    };

    if (arguments->command == WORKER_DESCRIBE)
        return worker_describe(worker) < 0 ? worker_fail("") : WORKER_OK;

    const struct variant_table *table = interp_variants(base);
    if (table == NULL)
        return worker_fail("cannot import gctax_ext: ");
    if (arguments->venv != NULL && interp_add_venv(arguments->venv) < 0)
        return worker_fail("");
    if (interp_add_paths(arguments->paths, arguments->path_count) < 0)
        return worker_fail("--path: ");
    if (arguments->command == WORKER_PREFLIGHT)
        cell_preflight(&worker->report, &worker->stopwatch, &request, table);
    else
        cell_run(&worker->report, &worker->stopwatch, &request, table);
    return WORKER_OK;
}

static int worker_run_check(struct worker *worker, const char *base)
{
    const struct worker_arguments *arguments = &worker->arguments;
    int code = worker_check(base, worker->report.fd, arguments->check, arguments->check_count);

    return code < 0 ? worker_fail("gctax_check: ") : code;
}

int worker_run(struct worker *worker, const char *base)
{
    if (worker->arguments.command == WORKER_CHECK)
        return worker_run_check(worker, base);
    int code = worker_command(worker, base);
    int ended = worker_end(worker);

    return code != WORKER_OK ? code : ended;
}
