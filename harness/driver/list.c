#include "list.h"

#include "complain.h"
#include "csv.h"
#include "process.h"
#include "record.h"
#include "suggest.h"
#include "tables.h"
#include "text.h"
#include "workers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 24

/* Rows of a table that is about to be printed; the first is its header. */
struct listing {
    size_t columns, rows;
    char **fields; /* rows × columns, owned */
    bool failed;
};

static void add(struct listing *listing, const char *const *fields)
{
    size_t used = listing->rows * listing->columns;
    char **grown = realloc(listing->fields, (used + listing->columns) * sizeof *grown);
    if (!grown) {
        listing->failed = true;
        return;
    }
    listing->fields = grown;
    for (size_t i = 0; i < listing->columns; i++)
        if (!(grown[used + i] = strdup(fields[i])))
            listing->failed = true;
    listing->rows++;
}

#define ADD(listing, ...) add(listing, (const char *const[]){__VA_ARGS__})

static const char *text_number(char text[24], uint64_t value)
{
    snprintf(text, 24, "%" PRIu64, value);
    return value ? text : "";
}

static int fill_variants(struct listing *listing)
{
    int count;
    const struct tables_variant *variants = tables_variants(&count);
    const char *fields[COLUMNS_MAX] = {"name"};
    listing->columns = TABLES_TRAITS + 2;
    for (int t = 0; t < TABLES_TRAITS; t++)
        fields[t + 1] = tables_traits[t];
    fields[TABLES_TRAITS + 1] = "doc";
    add(listing, fields);
    for (int i = 0; i < count; i++) {
        char buffers[TABLES_TRAITS][TABLES_NAME_SIZE];
        fields[0] = variants[i].name;
        for (int t = 0; t < TABLES_TRAITS; t++)
            fields[t + 1] = tables_trait(&variants[i], t, buffers[t]);
        fields[TABLES_TRAITS + 1] = variants[i].row->doc;
        add(listing, fields);
    }
    return EXIT_WELL;
}

static int fill_targets(struct listing *listing)
{
    int count;
    const struct tables_target *targets = tables_targets(&count);
    listing->columns = 3;
    ADD(listing, "name", "free_list", "doc");
    for (int i = 0; i < count; i++)
        ADD(listing, targets[i].name, targets[i].free_list ? "yes" : "no", targets[i].doc);
    return EXIT_WELL;
}

static int fill_workloads(struct listing *listing)
{
    int count;
    const struct workload_row *rows = tables_workloads(&count);
    listing->columns = 14;
    ADD(listing, "name", "sizes", "n", "live", "cycle", "cycle_percent", "depth", "drop_percent",
        "payload_bytes", "threads", "batches", "samples", "collections", "doc");
    for (int i = 0; i < count; i++) {
        char n[24], live[24], cycle[24], percent[24], batches[24], samples[24];
        char depth[24], drop[24], payload[24], threads[24];
        const struct workload_row *row = &rows[i];
        ADD(listing, row->name, row->sizes, text_number(n, row->n), text_number(live, row->live),
            text_number(cycle, row->cycle), text_number(percent, row->cycle_percent),
            text_number(depth, row->depth), text_number(drop, row->drop_percent),
            text_number(payload, row->payload_bytes), text_number(threads, row->threads),
            text_number(batches, row->batches), text_number(samples, row->samples),
            row->explicit_only ? "explicit"
            : row->retains     ? "automatic"
                               : "none",
            row->doc);
    }
    return EXIT_WELL;
}

static int fill_metrics(struct listing *listing)
{
    listing->columns = 6;
    ADD(listing, "table", "field", "type", "unit", "owner", "doc");
    for (int id = 0; id < METRIC_COUNT; id++) {
        const struct metric *metric = &record_metrics[id];
        ADD(listing, record_table_names[metric->table], metric->field,
            record_type_names[metric->type], metric->unit, record_owner_names[metric->owner],
            metric->doc);
    }
    return EXIT_WELL;
}

static int fill_parameters(struct listing *listing)
{
    struct cell cell;
    char number[CELL_COUNT_SIZE];
    cell_init(&cell);
    listing->columns = 4;
    ADD(listing, "name", "default", "unit", "doc");
    for (int f = 0; f < CELL_FIELDS; f++)
        ADD(listing, cell_parameters[f].name, cell_get(&cell, (enum cell_field)f, number),
            cell_parameters[f].unit, cell_parameters[f].doc);
    return EXIT_WELL;
}

static int fill_presets(struct listing *listing)
{
    int count;
    const struct preset *presets = tables_presets(&count);
    listing->columns = 3;
    ADD(listing, "name", "repeats", "doc");
    for (int i = 0; i < count; i++) {
        char repeats[24];
        ADD(listing, presets[i].name, text_number(repeats, presets[i].repeats), presets[i].doc);
    }
    return EXIT_WELL;
}

static int fill_rules(struct listing *listing)
{
    listing->columns = 7;
    ADD(listing, "number", "id", "severity", "leads_to", "source", "doc", "probed");
#define ERROR "error"
#define WARNING "warning"
#define NOTE "note"
#define RULE(number, name, ...) ADD_RULE(#number, __VA_ARGS__)
#define ADD_RULE(number, id, severity, leads_to, source, doc, probed)                              \
    ADD(listing, number, id, severity, leads_to, source, doc, probed);
#include "rules.def"
#undef ADD_RULE
#undef NOTE
#undef WARNING
#undef ERROR
    return EXIT_WELL;
}

static int fill_workers(struct listing *listing)
{
    struct workers workers = {0};
    listing->columns = 5;
    ADD(listing, "name", "python_version", "python_build", "linkage", "command");
    int code = workers_find(&workers, NULL);
    if (code == EXIT_WELL && process_setup())
        code = complain(EXIT_ENVIRONMENT, "cannot watch processes: %s", strerror(errno));
    if (code == EXIT_WELL)
        code = workers_describe(&workers);
    for (size_t i = 0; i < workers.count && code == EXIT_WELL; i++) {
        const struct worker *worker = &workers.list[i];
        ADD(listing, worker->name, workers_fact(worker, "python_version"),
            workers_fact(worker, "python_build"), workers_fact(worker, "linkage"), worker->argv[0]);
    }
    workers_free(&workers);
    return code;
}

static const struct {
    const char *name;
    int (*fill)(struct listing *listing);
    const char *doc;
} kinds[] = {
    {"variants", fill_variants, "extension types that gctax brings, with their traits"},
    {"targets", fill_targets, "builtins and Python classes to compare them with"},
    {"workloads", fill_workloads, "what can be done with a target, with default sizes"},
    {"parameters", fill_parameters, "what makes a cell; its id is a hash of these"},
    {"metrics", fill_metrics, "columns of the CSV files"},
    {"presets", fill_presets, "ready-made plans"},
    {"rules", fill_rules, "the collector's contract, as `gctax check` probes it"},
    {"workers", fill_workers, "interpreters that can be measured here"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void print_text(const struct listing *listing)
{
    size_t widths[COLUMNS_MAX] = {0};
    for (size_t r = 0; r < listing->rows; r++)
        for (size_t c = 0; c < listing->columns; c++) {
            size_t length = strlen(listing->fields[r * listing->columns + c]) + (!r && !c);
            widths[c] = length > widths[c] ? length : widths[c];
        }
    for (size_t r = 0; r < listing->rows; r++) {
        for (size_t c = 0; c < listing->columns; c++) {
            const char *field = listing->fields[r * listing->columns + c];
            const char *mark = !r && !c ? "#" : "";
            if (c + 1 == listing->columns)
                printf("%s%s", mark, field);
            else /* an empty field is a dash, so that columns can be counted */
                printf("%s%-*s  ", mark, (int)(widths[c] - strlen(mark)), *field ? field : "-");
        }
        putchar('\n');
    }
}

static void print_csv(const struct listing *listing, struct csv *text)
{
    for (size_t r = 0; r < listing->rows; r++) {
        for (size_t c = 0; c < listing->columns; c++)
            csv_field(text, c == 0, listing->fields[r * listing->columns + c]);
        csv_raw(text, "\r\n", 2);
    }
    if (text->data)
        fwrite(text->data, 1, text->length, stdout);
}

void list_help(void)
{
    puts("Usage: gctax list KIND [--format text|csv]\n");
    for (size_t k = 0; k < KINDS; k++)
        printf("  %-11s %s\n", kinds[k].name, kinds[k].doc);
}

static int print_kind(size_t kind, bool as_csv)
{
    struct listing listing = {0};
    struct csv text = {0};
    int code = kinds[kind].fill(&listing);
    if (code == EXIT_WELL) {
        if (listing.failed)
            code = complain_memory();
        else if (as_csv)
            print_csv(&listing, &text);
        else
            print_text(&listing);
        if (text.failed)
            code = complain_memory();
    }
    for (size_t i = 0; i < listing.rows * listing.columns; i++)
        free(listing.fields[i]);
    free(listing.fields);
    csv_free(&text);
    return code;
}

int list_command(int argc, const char **argv)
{
    const char *kind = NULL, *format = "text", *names[KINDS];
    char near[SUGGEST_SIZE];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            list_help();
            return EXIT_WELL;
        }
        if (!strncmp(argv[i], "--format=", 9))
            format = argv[i] + 9;
        else if (!strcmp(argv[i], "--format") && i + 1 < argc)
            format = argv[++i];
        else if (argv[i][0] == '-')
            return complain(EXIT_USAGE, "list: unknown option %s; there is --format text|csv",
                            argv[i]);
        else if (kind)
            return complain(EXIT_USAGE, "list: one kind at a time, not %s and %s", kind, argv[i]);
        else
            kind = argv[i];
    }
    if (strcmp(format, "text") && strcmp(format, "csv"))
        return complain(EXIT_USAGE, "list: no format %s; text or csv", format);
    for (size_t k = 0; k < KINDS; k++) {
        names[k] = kinds[k].name;
        if (kind && !strcmp(kind, kinds[k].name))
            return print_kind(k, !strcmp(format, "csv"));
    }
    return complain(EXIT_USAGE, kind ? "list: no kind %s%s" : "list: of what?%s%s",
                    kind ? kind : "", suggest(near, kind ? kind : "", names, KINDS));
}
