#include "runner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A look at the group's memory takes some 30 µs; every 25 ms that is a thousandth of a CPU. */
#define LOOK_MS 25
#define READ_SIZE 65536

char **runner_environment(char *const *ours, struct csv *scrubbed)
{
    size_t count = 0, kept = 0;
    while (ours[count])
        count++;
    char **environment = malloc((count + 1) * sizeof *environment);
    for (size_t i = 0; environment && i < count; i++) {
        if (strncmp(ours[i], "MALLOC_", 7) && strncmp(ours[i], "GLIBC_TUNABLES=", 15) &&
            strncmp(ours[i], "PYTHON", 6)) {
            environment[kept++] = ours[i];
        } else {
            csv_raw(scrubbed, ours[i], strlen(ours[i]));
            csv_raw(scrubbed, "\n", 1);
        }
    }
    if (environment)
        environment[kept] = NULL;
    return environment;
}

/* A stream on its way to lines. */
struct stream {
    struct csv partial;
    void (*line)(struct runner_result *result, char *line);
};

static void bad_row(struct runner_result *result, const char *row)
{
    if (!result->bad_row[0])
        snprintf(result->bad_row, sizeof result->bad_row, "%.200s", row);
}

/* Is it a row of the table? Leaves `row` as it is. */
static bool well_formed(enum record_table table, const char *row)
{
    char *copy = strdup(row);
    bool good = copy && record_check(table, copy) == 0;
    free(copy);
    return good;
}

static void take_row(struct runner_result *result, enum record_table table, char *row)
{
    if (!well_formed(table, row)) {
        bad_row(result, row);
    } else if (table != RECORD_CELLS) {
        csv_raw(&result->rows[table], row, strlen(row));
        csv_raw(&result->rows[table], "\n", 1);
    } else if (result->has_cells || record_parse(&result->cells, row)) {
        bad_row(result, "a second row of cells.csv");
    } else {
        result->has_cells = true;
    }
}

static void out_line(struct runner_result *result, char *line)
{
    char *rest = strchr(line, ',');
    if (!rest)
        return;
    *rest++ = '\0';
    if (!strcmp(line, "gctax") && !result->protocol) {
        if (sscanf(rest, "%d,%16s", &result->protocol, result->schema) < 1)
            result->protocol = 0;
    } else if (!strcmp(line, "phase")) {
        snprintf(result->phase, sizeof result->phase, "%s", rest);
    } else {
        for (int table = 0; table < RECORD_TABLES; table++)
            if (!strcmp(line, record_table_names[table]))
                take_row(result, (enum record_table)table, rest);
    }
}

static void err_line(struct runner_result *result, char *line)
{
    if (line[strspn(line, " \t\r")])
        snprintf(result->last_error, sizeof result->last_error, "%s", line);
}

/* Reads what is there and hands on whole lines. Sets *fd to -1 at the end of the stream. */
static uint64_t drain(int *fd, struct stream *stream, struct runner_result *result)
{
    static char block[READ_SIZE];
    uint64_t total = 0;
    while (*fd >= 0 && total < RUNNER_OUTPUT_MAX) {
        ssize_t length = read(*fd, block, sizeof block);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            break;
        if (length == 0) {
            close(*fd);
            *fd = -1;
            break;
        }
        total += (uint64_t)length;
        char *from = block, *end = block + length;
        for (char *feed; (feed = memchr(from, '\n', (size_t)(end - from))); from = feed + 1) {
            csv_raw(&stream->partial, from, (size_t)(feed - from));
            if (stream->partial.data)
                stream->line(result, stream->partial.data);
            csv_clear(&stream->partial);
        }
        csv_raw(&stream->partial, from, (size_t)(end - from));
    }
    return total;
}

/* A last line without a line feed: of standard error it counts, of standard output it is torn. */
static void last_partial(struct stream *out, struct stream *err, struct runner_result *result)
{
    if (err->partial.length)
        err_line(result, err->partial.data);
    for (int table = 0; out->partial.length && table < RECORD_TABLES; table++) {
        size_t length = strlen(record_table_names[table]);
        if (!strncmp(out->partial.data, record_table_names[table], length) &&
            out->partial.data[length] == ',')
            bad_row(result, out->partial.data);
    }
}

static bool watch(struct process *process, const struct runner_limits *limits,
                  struct runner_result *result, struct stream *out, struct stream *err)
{
    double began = process_now(), next_look = began + LOOK_MS * 1e-3;
    uint64_t printed = 0;
    for (;;) {
        double now = process_now();
        int timeout = (int)((next_look - now) * 1e3) + 1;
        int events = process_wait(process, timeout > 0 ? timeout : 0);
        if (events < 0)
            return false;
        if (events & PROCESS_EXIT) {
            result->wall_s = process_now() - began;
            drain(&process->out, out, result);
            drain(&process->err, err, result);
            result->outcome = RUNNER_EXITED;
            return true;
        }
        if (events & PROCESS_OUT)
            printed += drain(&process->out, out, result);
        if (events & PROCESS_ERR)
            printed += drain(&process->err, err, result);
        now = process_now();
        result->wall_s = now - began;
        if (events & PROCESS_INTERRUPTED)
            result->outcome = RUNNER_INTERRUPTED;
        else if (now - began > limits->timeout_s)
            result->outcome = RUNNER_TIMEOUT;
        else if (printed > RUNNER_OUTPUT_MAX)
            result->outcome = RUNNER_FLOOD;
        if (result->outcome != RUNNER_EXITED)
            return true;
        if (now >= next_look) {
            uint64_t resident = process_resident();
            if (resident > result->resident_peak_bytes)
                result->resident_peak_bytes = resident;
            if (resident > limits->memory_bytes) {
                result->outcome = RUNNER_MEMORY;
                return true;
            }
            next_look = now + LOOK_MS * 1e-3;
        }
    }
}

void runner_run(const struct process_start *start, const struct runner_limits *limits,
                struct runner_result *result)
{
    struct stream out = {.line = out_line}, err = {.line = err_line};
    struct process process;
    memset(result, 0, sizeof *result);
    record_init(&result->cells, RECORD_CELLS);
    if (process_start(&process, start)) {
        result->outcome = RUNNER_FAILED;
        result->end.exit_code = errno;
        return;
    }
    if (!watch(&process, limits, result, &out, &err)) {
        result->outcome = RUNNER_FAILED;
        result->end.exit_code = errno;
    }
    struct process_end end;
    process_end(&process, &end);
    if (result->outcome != RUNNER_FAILED)
        result->end = end;
    last_partial(&out, &err, result);
    for (int table = 0; table < RECORD_TABLES; table++)
        if (result->rows[table].failed || out.partial.failed)
            bad_row(result, "(out of memory)");
    csv_free(&out.partial);
    csv_free(&err.partial);
}

void runner_free(struct runner_result *result)
{
    record_free(&result->cells);
    for (int table = 0; table < RECORD_TABLES; table++)
        csv_free(&result->rows[table]);
}

const char *runner_mismatch(const struct runner_result *result, char text[RUNNER_TEXT_SIZE])
{
    char schema[RECORD_SCHEMA_SIZE];
    record_schema(schema);
    if (!result->protocol)
        return "it does not speak gctax's protocol: it is no gctax worker, or ends in none";
    if (result->protocol != RECORD_PROTOCOL)
        snprintf(text, RUNNER_TEXT_SIZE,
                 "it speaks protocol %d, this driver %d: build both from one checkout",
                 result->protocol, RECORD_PROTOCOL);
    else if (strcmp(result->schema, schema))
        snprintf(text, RUNNER_TEXT_SIZE,
                 "its columns are not this driver's (schema %s, not %s): build both from one "
                 "checkout",
                 result->schema, schema);
    else
        return NULL;
    return text;
}

static const char *signal_name(int number, char text[32])
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                 {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},   {SIGTRAP, "SIGTRAP"},
                 {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
                 {SIGPIPE, "SIGPIPE"}, {SIGXCPU, "SIGXCPU"}, {SIGSYS, "SIGSYS"},
                 {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"}, {SIGALRM, "SIGALRM"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    snprintf(text, 32, "signal %d", number);
    return text;
}

#define MIB (1024.0 * 1024.0)

const char *runner_status(const struct runner_result *result, const struct runner_limits *limits,
                          char detail[RUNNER_TEXT_SIZE * 2])
{
    const size_t size = (size_t)RUNNER_TEXT_SIZE * 2;
    const char *phase = result->phase[0] ? result->phase : "before start";
    const char *said = result->last_error;
    const char *colon = said[0] ? ": " : "";
    char name[32], why[RUNNER_TEXT_SIZE];
    detail[0] = '\0';
    switch (result->outcome) {
    case RUNNER_FAILED:
        snprintf(detail, size, "worker did not run: %s", strerror(result->end.exit_code));
        return "error";
    case RUNNER_TIMEOUT:
        snprintf(detail, size, "longer than %g s, phase %s", limits->timeout_s, phase);
        return "timeout";
    case RUNNER_MEMORY:
        snprintf(detail, size, "%.0f MiB resident, limit %.0f MiB, phase %s",
                 (double)result->resident_peak_bytes / MIB, (double)limits->memory_bytes / MIB,
                 phase);
        return "out-of-memory";
    case RUNNER_FLOOD:
        snprintf(detail, size, "printed more than %.0f MiB, phase %s",
                 (double)RUNNER_OUTPUT_MAX / MIB, phase);
        return "error";
    case RUNNER_INTERRUPTED:
        return "error";
    case RUNNER_EXITED:
        break;
    }
    if (result->end.signal) {
        snprintf(detail, size, "%s, phase %s%s%s", signal_name(result->end.signal, name), phase,
                 colon, said);
        return "crash";
    }
    if (result->protocol && runner_mismatch(result, why)) {
        snprintf(detail, size, "worker changed during the run: %s", runner_mismatch(result, why));
        return "error";
    }
    if (result->bad_row[0]) {
        snprintf(detail, size, "worker printed a row that is not well formed: %s", result->bad_row);
        return "error";
    }
    if (!result->has_cells || result->end.exit_code) {
        snprintf(detail, size, "exit code %d, phase %s%s%s", result->end.exit_code, phase, colon,
                 said);
        return "error";
    }
    snprintf(detail, size, "%s", record_get(&result->cells, CELLS_detail));
    const char *status = record_get(&result->cells, CELLS_status);
    return status[0] ? status : "ok";
}
