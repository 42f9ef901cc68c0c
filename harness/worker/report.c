#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int report_open(struct report *report)
{
    *report = (struct report){.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (report->fd < 0)
        return -1;
    return dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? -1 : 0;
}

static void report_text(struct report *report, const char *text)
{
    csv_raw(&report->line, text, strlen(text));
}

int report_flush(struct report *report)
{
    size_t done = 0;

    report->failed = report->failed || report->line.failed;
    while (!report->failed && done < report->line.length) {
        ssize_t wrote = write(report->fd, report->line.data + done, report->line.length - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            report->failed = true;
    }
    csv_clear(&report->line);
    return report->failed ? -1 : 0;
}

void report_protocol(struct report *report)
{
    char schema[RECORD_SCHEMA_SIZE];
    _Static_assert(RECORD_PROTOCOL == 1, "the number in the line below");

    report_text(report, "gctax,1,");
    report_text(report, record_schema(schema));
    report_text(report, "\n");
    report_flush(report);
}

void report_phase(struct report *report, const char *phase)
{
    report_text(report, "phase,");
    report_text(report, phase);
    report_text(report, "\n");
    report_flush(report);
}

void report_row(struct report *report, struct record *record)
{
    report_text(report, record_table_names[record->table]);
    report_text(report, ",");
    if (record_line(record, &report->line) < 0)
        report->failed = true;
    report_text(report, "\n");
    record_clear(record);
}

void report_fact(struct report *report, const char *key, const char *value)
{
    struct record record;

    record_init(&record, RECORD_ENVIRONMENT);
    record_set_text(&record, ENVIRONMENT_key, key);
    record_set_text(&record, ENVIRONMENT_value, value);
    report_row(report, &record);
    record_free(&record);
}
