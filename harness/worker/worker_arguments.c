/* The worker's command line: --FIELD=VALUE with the fields of cell.def, and a few beside them. */
#include "worker_arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "workload.h"

static const char *const worker_commands[] = {
    [WORKER_HELP] = "--help", [WORKER_DESCRIBE] = "describe", [WORKER_PREFLIGHT] = "preflight",
    [WORKER_CELL] = "cell",   [WORKER_CHECK] = "--check",
};

void worker_help(const char *program)
{
    printf("usage: %s describe\n"
           "       %s preflight --target=TARGET [ARGUMENT]...\n"
           "       %s cell --target=TARGET --workload=WORKLOAD [ARGUMENT]...\n"
           "       %s --check [--allocator=TEXT] -- [OPTION]... TARGET\n"
           "Runs one cell in one CPython and prints rows, or checks one type there and prints\n"
           "JSON lines; gctax starts it.\n\n",
           program, program, program, program);
    for (int i = 0; i < CELL_FIELDS; i++)
        printf("  --%s=%s\n        %s\n", cell_parameters[i].name,
               cell_parameters[i].is_text ? "TEXT" : "COUNT", cell_parameters[i].doc);
    printf("  --repeat=COUNT\n        number of the repeat\n"
           "  --seed=COUNT\n        seed of the run\n"
           "  --path=DIR\n        where modules are, before all else; repeatable\n"
           "  --venv=DIR\n        virtual environment whose modules are used\n");
    fflush(stdout); /* the hosted front ends without the end of stdio */
}

static int worker_usage(const char *format, const char *argument)
{
    fprintf(stderr, "gctax-worker: ");
    fprintf(stderr, format, argument);
    fprintf(stderr, "\n");
    return -1;
}

/* The value of `--name=value`, or NULL where `argument` is another. */
static const char *worker_value(const char *argument, const char *name)
{
    size_t length = strlen(name);
    bool same = strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, name, length) == 0 &&
                argument[2 + length] == '=';
    return same ? argument + length + 3 : NULL;
}

static int worker_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text < '0' || *text > '9' || *end != '\0' || errno != 0 ? -1 : 0;
}

static int worker_parse_one(struct worker_arguments *arguments, const char **paths, char *argument)
{
    const char *value;
    int taken = cell_parse(&arguments->cell, argument);

    if (taken < 0)
        return worker_usage("%s is no decimal number", argument);
    if (taken > 0)
        return 0;
    if ((value = worker_value(argument, "repeat")) != NULL)
        return worker_number(value, &arguments->repeat) < 0
                   ? worker_usage("%s is no decimal number", argument)
                   : 0;
    if ((value = worker_value(argument, "seed")) != NULL)
        return worker_number(value, &arguments->seed) < 0
                   ? worker_usage("%s is no decimal number", argument)
                   : 0;
    if ((value = worker_value(argument, "path")) != NULL) {
        paths[arguments->path_count++] = value;
        return 0;
    }
    if ((value = worker_value(argument, "venv")) != NULL) {
        arguments->venv = value;
        return 0;
    }
    return worker_usage("unknown argument %s (--help lists them)", argument);
}

/* What the workload's row has as defaults, where the command line was silent. */
static void worker_fill(struct cell *cell, const struct workload_row *row)
{
    char number[CELL_COUNT_SIZE];

    for (int i = 0; i < CELL_FIELDS; i++) {
        enum cell_field field = (enum cell_field)i;
        uint64_t value = workload_row_default(row, field, cell->live);
        if (value == 0 || *cell_get(cell, field, number) != '\0')
            continue;
        snprintf(number, sizeof number, "%" PRIu64, value);
        cell_set(cell, field, number);
    }
}

static bool worker_is_one_of(const char *value, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(value, *words) == 0)
            return true;
    return false;
}

static int worker_check_cell(struct worker_arguments *arguments)
{
    static const char *const modes[] = {"on", "off", "manual", "frozen", NULL};
    static const char *const arenas[] = {"native", "prefault", NULL};
    struct cell *cell = &arguments->cell;

    if (*cell->target == '\0')
        return worker_usage("%s needs --target", worker_commands[arguments->command]);
    if (!interp_knows_allocator(cell->allocator))
        return worker_usage("unknown allocator '%s'", cell->allocator);
    if (!worker_is_one_of(cell->gc_mode, modes))
        return worker_usage("unknown gc_mode '%s': on, off, manual or frozen", cell->gc_mode);
    if (!worker_is_one_of(cell->arena, arenas))
        return worker_usage("unknown arena '%s': native or prefault", cell->arena);
    if (arguments->command != WORKER_CELL)
        return 0;

    const struct workload *workload = workload_find(cell->workload);
    if (workload == NULL)
        return worker_usage("unknown workload '%s'", cell->workload);
    worker_fill(cell, workload->row);
    if (cell->batches == CELL_UNSET || cell->batches == 0)
        return worker_usage("%s needs at least one batch: --batches", cell->workload);
    if (workload->row->n != 0 && cell->n == 0)
        return worker_usage("%s needs at least one operation: --n", cell->workload);
    if (workload->row->cycle != 0 && cell->cycle == 0)
        return worker_usage("%s needs a cycle of at least one: --cycle", cell->workload);
    if (workload->row->live != 0 && cell->live == 0)
        return worker_usage("%s needs at least one live instance: --live", cell->workload);
    if (workload->row->depth != 0 && cell->depth == 0)
        return worker_usage("%s needs a depth of at least one: --depth", cell->workload);
    if (workload->row->threads != 0 && cell->threads == 0)
        return worker_usage("%s needs at least one thread: --threads", cell->workload);
    if (workload->row->drop_percent != 0 && cell->drop_percent > 100)
        return worker_usage("%s: --drop_percent is at most 100", cell->workload);
    if (strcmp(cell->workload, "script") == 0 && *cell->script == '\0')
        return worker_usage("%s needs --script", cell->workload);
    if (strcmp(cell->gc_mode, "manual") == 0 &&
        (cell->collect_every == CELL_UNSET || cell->collect_every == 0))
        return worker_usage("gc_mode %s needs --collect_every", cell->gc_mode);
    return 0;
}

/* What follows `--` is for the check. How many words are for the worker. */
static int worker_split(struct worker_arguments *arguments, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0)
            continue;
        arguments->check = argv + i + 1;
        arguments->check_count = argc - i - 1;
        return i;
    }
    return argc;
}

int worker_arguments_parse(struct worker_arguments *arguments, int argc, char **argv)
{
    const char **paths = calloc((size_t)argc + 1, sizeof *paths);

    *arguments = (struct worker_arguments){.command = WORKER_HELP};
    cell_init(&arguments->cell);
    if (paths == NULL)
        return worker_usage("%s", "out of memory");
    arguments->paths = paths;
    if (argc < 2)
        return worker_usage("%s", "no command: describe, preflight, cell, --check or --help");
    for (size_t i = 0; i < sizeof worker_commands / sizeof worker_commands[0]; i++) {
        if (strcmp(argv[1], worker_commands[i]) != 0)
            continue;
        arguments->command = (enum worker_command)i;
        if (i == WORKER_CHECK)
            argc = worker_split(arguments, argc, argv);
        for (int j = 2; j < argc; j++)
            if (worker_parse_one(arguments, paths, argv[j]) < 0)
                return -1;
        if (i == WORKER_PREFLIGHT || i == WORKER_CELL)
            return worker_check_cell(arguments);
        if (!interp_knows_allocator(arguments->cell.allocator))
            return worker_usage("unknown allocator '%s'", arguments->cell.allocator);
        if (i == WORKER_CHECK && arguments->check == NULL)
            return worker_usage("%s needs -- before what is checked", argv[1]);
        return 0;
    }
    return worker_usage("unknown command '%s': describe, preflight, cell, --check or --help",
                        argv[1]);
}

void worker_arguments_free(struct worker_arguments *arguments)
{
    free((void *)arguments->paths);
    arguments->paths = NULL;
}
