#include "planfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "1"
#define FIELDS_MAX 512

static void row(struct csv *text, const char *kind, const char *value)
{
    csv_field(text, true, kind);
    csv_field(text, false, value);
}

static void end_row(struct csv *text)
{
    csv_raw(text, "\r\n", 2);
}

static int write_option(void *context, const char *name, const char *value)
{
    struct csv *text = context;
    if (!strcmp(name, "resume") || !strcmp(name, "dry-run") || !strcmp(name, "force"))
        return 0;
    row(text, "option", name);
    if (value)
        csv_field(text, false, value);
    end_row(text);
    return 0;
}

static int write_cell(struct csv *text, const struct cell *cell)
{
    const char *arguments[CELL_FIELDS + 1];
    int count;
    char *block = cell_arguments(cell, arguments, &count);
    if (!block)
        return -1;
    csv_field(text, true, "cell");
    for (int i = 0; i < count; i++)
        csv_field(text, false, arguments[i]);
    end_row(text);
    free(block);
    return 0;
}

int planfile_write(const struct run *run, struct csv *text)
{
    char schema[RECORD_SCHEMA_SIZE], number[32];
    row(text, "plan", FORMAT);
    csv_field(text, false, record_schema(schema));
    end_row(text);
    row(text, "run_id", run->id);
    end_row(text);
    snprintf(number, sizeof number, "%u", run->repeats);
    row(text, "repeats", number);
    end_row(text);
    options_each(&run->options, write_option, text);
    for (size_t i = 0; i < run->workers.count; i++) {
        const struct worker *worker = &run->workers.list[i];
        row(text, "worker", worker->name);
        csv_field(text, false, workers_fact(worker, "python_version"));
        for (size_t w = 0; w < worker->words; w++)
            csv_field(text, false, worker->argv[w]);
        end_row(text);
    }
    for (size_t i = 0; i < run->refusal_count; i++) {
        row(text, "refused", run->workers.list[run->refusals[i].worker].name);
        csv_field(text, false, run->refusals[i].target);
        csv_field(text, false, run->refusals[i].reason);
        end_row(text);
    }
    for (size_t i = 0; i < run->plan.count; i++)
        if (write_cell(text, &run->plan.cells[i].cell))
            return -1;
    snprintf(number, sizeof number, "%zu", run->plan.count);
    row(text, "end", number);
    end_row(text);
    return text->failed ? -1 : 0;
}

/* ---- reading ---- */

/* The plan's options as a command line, and the words of the given ones that are not among them. */
struct reader {
    struct run *run;
    const char **argv; /* --NAME=VALUE, owned strings */
    int argc;
    const char *versions[FIELDS_MAX]; /* of the workers, when the run began */
    bool ended;
};

static int is_planned(void *context, const char *name, const char *value)
{
    const struct reader *reader = context;
    char word[4096];
    if (!strcmp(name, "resume") || !strcmp(name, "dry-run"))
        return 0;
    snprintf(word, sizeof word, value ? "--%s=%s" : "--%s", name, value);
    for (int i = 1; i < reader->argc; i++)
        if (!strcmp(reader->argv[i], word))
            return 0;
    complain(EXIT_USAGE, "--%s%s%s contradicts the plan of the run; a resume goes by its own plan",
             name, value ? " " : "", value ? value : "");
    return 1;
}

static int read_option(struct reader *reader, char **fields, int count)
{
    char *word;
    const char **argv = realloc(reader->argv, ((size_t)reader->argc + 2) * sizeof *argv);
    if (!argv)
        return -1;
    reader->argv = argv;
    if (asprintf(&word, count > 2 ? "--%s=%s" : "--%s", fields[1], count > 2 ? fields[2] : "") < 0)
        return -1;
    argv[reader->argc++] = word;
    argv[reader->argc] = NULL;
    return 0;
}

static int read_cell(struct reader *reader, char **fields, int count)
{
    struct cell cell;
    cell_init(&cell);
    for (int i = 1; i < count; i++)
        if (cell_parse(&cell, fields[i]) != 1)
            return -1;
    return plan_add(&reader->run->plan, &cell);
}

static int read_refusal(struct run *run, char **fields)
{
    for (size_t i = 0; i < run->workers.count; i++)
        if (!strcmp(run->workers.list[i].name, fields[1]))
            return run_refuse(run, i, fields[2], fields[3]);
    return -1;
}

/* One line. 0, or -1 where it is none of this format (or memory ran out). */
static int read_line(struct reader *reader, char **fields, int count)
{
    struct run *run = reader->run;
    const char *kind = fields[0];
    if (!strcmp(kind, "run_id") && count == 2)
        return snprintf(run->id, sizeof run->id, "%s", fields[1]) < RUN_ID_SIZE ? 0 : -1;
    if (!strcmp(kind, "repeats") && count == 2)
        return (run->repeats = (unsigned)strtoul(fields[1], NULL, 10)) ? 0 : -1;
    if (!strcmp(kind, "option") && count >= 2)
        return read_option(reader, fields, count);
    if (!strcmp(kind, "worker") && count >= 4 && run->workers.count < FIELDS_MAX) {
        reader->versions[run->workers.count] = fields[2];
        return workers_add(&run->workers, fields[1], fields + 3, (size_t)count - 3);
    }
    if (!strcmp(kind, "refused") && count == 4)
        return read_refusal(run, fields);
    if (!strcmp(kind, "cell") && count >= 2)
        return read_cell(reader, fields, count);
    if (!strcmp(kind, "end") && count == 2) {
        reader->ended = strtoul(fields[1], NULL, 10) == run->plan.count && run->plan.count;
        return reader->ended ? 0 : -1;
    }
    return -1;
}

static enum exit_code read_lines(struct reader *reader, char *text)
{
    char *fields[FIELDS_MAX], schema[RECORD_SCHEMA_SIZE];
    int line = 0;
    record_schema(schema);
    for (char *at = text, *next; *at; at = next) {
        next = strstr(at, "\r\n");
        next = next ? next + 2 : at + strlen(at);
        char kept = *next;
        *next = '\0';
        int count = csv_parse(at, fields, FIELDS_MAX);
        *next = kept;
        line++;
        if (line == 1) {
            if (count != 3 || strcmp(fields[0], "plan") || strcmp(fields[1], FORMAT))
                return complain(EXIT_ENVIRONMENT, "plan: not a plan that this gctax can read");
            if (strcmp(fields[2], schema))
                return complain(EXIT_ENVIRONMENT,
                                "plan: the run has other columns than this gctax writes; go on "
                                "with the gctax that began it");
        } else if (count < 1 || read_line(reader, fields, count)) {
            return complain(EXIT_ENVIRONMENT, "plan, line %d: not readable", line);
        }
    }
    return reader->ended && reader->run->repeats && reader->run->workers.count
               ? EXIT_WELL
               : complain(EXIT_ENVIRONMENT, "plan: is not complete");
}

enum exit_code planfile_read(struct run *run, char *text)
{
    struct reader reader = {.run = run, .argv = calloc(2, sizeof(char *)), .argc = 1};
    if (!reader.argv)
        return complain_memory();
    reader.argv[0] = "run";
    enum exit_code code = read_lines(&reader, text);
    if (code == EXIT_WELL && options_each(&run->options, is_planned, &reader))
        code = EXIT_USAGE;
    if (code == EXIT_WELL) {
        int dry_run = run->options.dry_run;
        options_free(&run->options);
        code = options_read(&run->options, reader.argc, reader.argv);
        run->options.dry_run = dry_run;
    }
    if (code == EXIT_WELL)
        code = workers_describe(&run->workers);
    for (size_t i = 0; code == EXIT_WELL && i < run->workers.count; i++) {
        const char *version = workers_fact(&run->workers.list[i], "python_version");
        if (strcmp(version, reader.versions[i]))
            code = complain(EXIT_ENVIRONMENT,
                            "worker %s embeds CPython %s now, and %s when the run began",
                            run->workers.list[i].name, version, reader.versions[i]);
    }
    for (int i = 1; i < reader.argc; i++)
        free((char *)reader.argv[i]);
    free(reader.argv);
    return code;
}
