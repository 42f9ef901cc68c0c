#include "options.h"

#include "suggest.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* popt writes through addresses, so there is one set of options while it reads. */
static struct options given;

#define LIST(name, field, word, help)                                                              \
    {                                                                                              \
        name, '\0', POPT_ARG_STRING, &given.values[CELL_##field], 0, help, word                    \
    }
#define TEXT(name, member, word, help)                                                             \
    {                                                                                              \
        name, '\0', POPT_ARG_STRING, &given.member, 0, help, word                                  \
    }
#define MANY(name, member, word, help)                                                             \
    {                                                                                              \
        name, '\0', POPT_ARG_ARGV, &given.member, 0, help, word                                    \
    }
#define FLAG(name, member, help)                                                                   \
    {                                                                                              \
        name, '\0', POPT_ARG_NONE, &given.member, 0, help, NULL                                    \
    }

static const struct poptOption table[] = {
    TEXT("preset", preset, "NAME",
         "what is run: quick (default), sweep, full; see gctax list presets"),
    TEXT("variants", variants, "LIST",
         "globs (gc*,plain8: either) and traits (collector=yes,size=8: both); see gctax list "
         "variants"),
    MANY("target", targets, "NAME|MODULE:EXPR",
         "drive this instead of the preset's variants (repeatable); with --variants, besides them"),
    TEXT("workloads", workloads, "LIST", "globs; see gctax list workloads"),
    TEXT("make", make, "EXPR", "expression that makes one instance of each --target"),
    TEXT("link", link, "STMT", "statement by which instance a comes to hold instance b"),
    MANY("path", paths, "DIR", "where modules of targets are (repeatable)"),
    TEXT("venv", venv, "DIR", "virtual environment in which modules of targets are"),
    TEXT("script", script, "FILE.py",
         "a Python program is the work; its arguments come last, after --"),
    MANY("script-arg", script_args, "ARG", "one of these arguments (repeatable)"),
    LIST("n", n, "LIST", "operations in one batch (10k, 1e6; lists are comma-separated)"),
    LIST("live", live, "LIST", "instances kept alive while the workload runs"),
    LIST("cycle", cycle, "LIST", "instances in one reference cycle"),
    LIST("cycle-percent", cycle_percent, "LIST", "share of replaced instances that are in a cycle"),
    LIST("depth", depth, "LIST", "instances in a chain; levels of a tree below its root"),
    LIST("drop-percent", drop_percent, "LIST", "share of a graph's instances that is dropped"),
    LIST("payload-bytes", payload_bytes, "LIST", "size of the buffer that a cycle owns"),
    LIST("threads", threads, "LIST", "threads that share the work"),
    LIST("free-order", free_order, "LIST", "fifo (default), lifo, random: order of freeing"),
    LIST("heap-order", heap_order, "LIST",
         "fresh, aged: order of the live heap in memory (default both)"),
    LIST("gc", gc_mode, "LIST", "on (default), off, manual, frozen"),
    LIST("collect-every", collect_every, "LIST",
         "with --gc manual: operations between explicit collections (default 10k)"),
    LIST("threshold0", threshold0, "LIST",
         "gc.set_threshold, first (default: the interpreter's own)"),
    LIST("threshold1", threshold1, "LIST", "the same, second"),
    LIST("threshold2", threshold2, "LIST", "the same, third"),
    LIST("safepoint", safepoint_every, "LIST|none",
         "operations between two safe points (default 1; never above threshold0/32)"),
    LIST("arena", arena, "LIST",
         "native (default), prefault: are pages there before they are used"),
    LIST("allocator", allocator, "LIST",
         "default, debug, malloc, malloc_debug, pymalloc, pymalloc_debug"),
    LIST("batches", batches, "LIST", "timed batches (default: the workload's)"),
    LIST("samples", samples, "LIST", "operations timed one by one (default: the workload's)"),
    TEXT("repeat", repeat, "N", "processes for each cell and worker (default: the preset's)"),
    MANY("worker", workers, "CMD",
         "program that runs cells, or a command that ends in one (repeatable; default: all beside "
         "gctax)"),
    TEXT("out", out, "DIR", "folder of the run (default runs/DATE-TIME-PRESET)"),
    TEXT("resume", resume, "DIR", "go on with the run in DIR, by its own plan"),
    FLAG("force", force, "replace the run that --out holds"),
    TEXT("timeout", timeout, "TIME", "limit for one cell: seconds, or 2m, 1h (default 120)"),
    TEXT("memory-limit", memory_limit, "BYTES|none",
         "limit for one cell's resident memory: 500M, 4G (default 80 % of what is available)"),
    TEXT("pin", pin, "CPU|none", "CPU that workers are pinned to (default none)"),
    TEXT("seed", seed, "N", "order in which cells are run (default 1)"),
    TEXT("shard", shard, "I/N", "only the I-th of N parts of the plan, from 1"),
    FLAG("dry-run", dry_run, "print the plan, one line for each cell, worker and repeat, and stop"),
    {"help", 'h', POPT_ARG_NONE, &given.help, 0, "this text", NULL},
    POPT_TABLEEND,
};

#define OPTIONS (sizeof table / sizeof *table - 1)

static enum exit_code bad_option(poptContext context, int error)
{
    const char *option = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    if (error != POPT_ERROR_BADOPT)
        return complain(EXIT_USAGE, "%s: %s", option, poptStrerror(error));
    const char *names[OPTIONS];
    char near[SUGGEST_SIZE], word[64], dashed[OPTIONS][32];
    for (size_t i = 0; i < OPTIONS; i++) {
        snprintf(dashed[i], sizeof dashed[i], "--%s", table[i].longName);
        names[i] = dashed[i];
    }
    snprintf(word, sizeof word, "--%.*s", (int)strcspn(option + strspn(option, "-"), "="),
             option + strspn(option, "-"));
    return complain(EXIT_USAGE, "unknown option %s%s", option, suggest(near, word, names, OPTIONS));
}

/* Everything a user types lands in CSV fields and in the plan, a line each. */
static int check_line(void *context, const char *name, const char *value)
{
    (void)context;
    if (!value || (text_is_line(value) && *value))
        return 0;
    complain(EXIT_USAGE, *value ? "--%s: control characters or invalid UTF-8" : "--%s: is empty",
             name);
    return 1;
}

static enum exit_code read_numbers(struct options *options)
{
    uint64_t number = 1;
    options->timeout_s = 120;
    options->pin_cpu = -1;
    options->shuffle_seed = 1;
    options->shard_count = 1;
    if (options->repeat) {
        if (text_count(options->repeat, &number) || number < 1 || number > 10000)
            return complain(EXIT_USAGE, "--repeat %s: not a number from 1 to 10000",
                            options->repeat);
        options->repeats = (unsigned)number;
    }
    if (options->timeout && text_seconds(options->timeout, &options->timeout_s))
        return complain(EXIT_USAGE, "--timeout %s: not a time such as 30, 2m or 1h",
                        options->timeout);
    if (options->memory_limit && !strcmp(options->memory_limit, "none"))
        options->memory_limit_bytes = UINT64_MAX;
    else if (options->memory_limit &&
             (text_bytes(options->memory_limit, &options->memory_limit_bytes) ||
              !options->memory_limit_bytes))
        return complain(EXIT_USAGE, "--memory-limit %s: not a size such as 500M or 4G, nor none",
                        options->memory_limit);
    if (options->pin && strcmp(options->pin, "none")) {
        if (text_count(options->pin, &number) || number > 100000)
            return complain(EXIT_USAGE, "--pin %s: not the number of a CPU, nor none",
                            options->pin);
        options->pin_cpu = (int)number;
    }
    if (options->seed && text_count(options->seed, &options->shuffle_seed))
        return complain(EXIT_USAGE, "--seed %s: not a number", options->seed);
    if (options->shard) {
        unsigned index, count;
        int end = 0;
        if (options->shard[strspn(options->shard, "0123456789/")] ||
            sscanf(options->shard, "%9u/%9u%n", &index, &count, &end) != 2 || options->shard[end] ||
            index < 1 || index > count)
            return complain(EXIT_USAGE, "--shard %s: not I/N with I from 1 to N", options->shard);
        options->shard_index = index - 1;
        options->shard_count = count;
    }
    return EXIT_WELL;
}

/* What is no option is an argument of the script: added to --script-arg. 0, or -1. */
static int add_script_args(struct options *options, const char **words)
{
    size_t had = 0, count = 0;
    while (options->script_args && options->script_args[had])
        had++;
    while (words && words[count])
        count++;
    if (!count)
        return 0;
    char **all = realloc(options->script_args, (had + count + 1) * sizeof *all);
    if (!all)
        return -1;
    options->script_args = all;
    for (size_t i = 0; i <= count; i++)
        all[had + i] = NULL;
    for (size_t i = 0; i < count; i++)
        if (!(all[had + i] = strdup(words[i])))
            return -1;
    return 0;
}

enum exit_code options_read(struct options *options, int argc, const char **argv)
{
    memset(&given, 0, sizeof given);
    memset(options, 0, sizeof *options);
    poptContext context = poptGetContext("gctax run", argc, argv, table, 0);
    if (!context)
        return complain_memory();
    enum exit_code code = EXIT_WELL;
    int error = poptGetNextOpt(context);
    const char *extra = given.script ? NULL : poptPeekArg(context);
    const char **words = given.script ? poptGetArgs(context) : NULL;
    if (error < -1)
        code = bad_option(context, error);
    else if (extra)
        code = complain(EXIT_USAGE, "run: unexpected argument %s (options begin with --)", extra);
    *options = given;
    memset(&given, 0, sizeof given);
    if (code == EXIT_WELL && add_script_args(options, words))
        code = complain_memory();
    poptFreeContext(context);
    if (code == EXIT_WELL && options_each(options, check_line, NULL))
        code = EXIT_USAGE;
    return code == EXIT_WELL ? read_numbers(options) : code;
}

/* Where the option's value lies in `options`: the table points into `given`. */
static const void *member(const struct options *options, const struct poptOption *option)
{
    return (const char *)options + ((const char *)option->arg - (const char *)&given);
}

int options_each(const struct options *options,
                 int (*each)(void *context, const char *name, const char *value), void *context)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const void *value = member(options, &table[i]);
        int result = 0;
        if (table[i].argInfo == POPT_ARG_NONE) {
            if (*(const int *)value)
                result = each(context, table[i].longName, NULL);
        } else if (table[i].argInfo == POPT_ARG_STRING) {
            char *text = *(char *const *)value;
            if (text)
                result = each(context, table[i].longName, text);
        } else {
            char **list = *(char **const *)value;
            for (; list && *list && !result; list++)
                result = each(context, table[i].longName, *list);
        }
        if (result)
            return result;
    }
    return 0;
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const void *value = member(options, &table[i]);
        if (table[i].argInfo == POPT_ARG_STRING) {
            free(*(char *const *)value);
        } else if (table[i].argInfo == POPT_ARG_ARGV) {
            char **list = *(char **const *)value;
            for (char **word = list; word && *word; word++)
                free(*word);
            free(list);
        }
    }
    memset(options, 0, sizeof *options);
}

void options_help(void)
{
    const char *argv[] = {"gctax run", NULL};
    poptContext context = poptGetContext("gctax run", 1, argv, table, 0);
    if (context) {
        poptPrintHelp(context, stdout, 0);
        poptFreeContext(context);
    }
}
