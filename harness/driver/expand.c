/* From options and presets to the cells of a plan. */
#include "plan.h"

#include "csv.h"
#include "record.h"
#include "select.h"
#include "suggest.h"
#include "tables.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELLS_MAX 1000000

/* What the list of a parameter may hold: words, or counts of a range. */
struct axis {
    const char *option; /* NULL: no list, set by the plan itself */
    const char *words;
    uint64_t min, max;
    const char *preset; /* values where neither option, sweep nor workload says any */
};

#define SIZE_MAX_N UINT64_C(1000000000)

static const struct axis axes[CELL_FIELDS] = {
    [CELL_n] = {"n", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_live] = {"live", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_cycle] = {"cycle", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_cycle_percent] = {"cycle-percent", NULL, 0, 100, NULL},
    [CELL_free_order] = {"free-order", "fifo,lifo,random", 0, 0, "fifo"},
    [CELL_threshold0] = {"threshold0", NULL, 0, INT_MAX, NULL},
    [CELL_threshold1] = {"threshold1", NULL, 0, INT_MAX, NULL},
    [CELL_threshold2] = {"threshold2", NULL, 0, INT_MAX, NULL},
    [CELL_gc_mode] = {"gc", "on,off,manual,frozen", 0, 0, "on"},
    [CELL_collect_every] = {"collect-every", NULL, 1, SIZE_MAX_N, "10000"},
    [CELL_safepoint_every] = {"safepoint", "none", 1, SIZE_MAX_N, "1"},
    [CELL_arena] = {"arena", "native,prefault", 0, 0, NULL},
    [CELL_heap_order] = {"heap-order", "fresh,aged", 0, 0, "fresh,aged"},
    [CELL_allocator] = {"allocator", "default,debug,malloc,malloc_debug,pymalloc,pymalloc_debug", 0,
                        0, NULL},
    [CELL_batches] = {"batches", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_samples] = {"samples", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_depth] = {"depth", NULL, 1, SIZE_MAX_N, NULL},
    [CELL_drop_percent] = {"drop-percent", NULL, 1, 100, NULL},
    [CELL_payload_bytes] = {"payload-bytes", NULL, 1, UINT64_C(1) << 40, NULL},
    [CELL_threads] = {"threads", NULL, 1, 1000, NULL},
};

/* Is the word one of a comma-separated list? */
static bool among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, word, length) && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

static enum exit_code check_word(const struct axis *axis, const char *word)
{
    uint64_t count;
    if (axis->words && among(axis->words, word))
        return EXIT_WELL;
    if (axis->words && !axis->max) {
        struct text_list known;
        char near[SUGGEST_SIZE];
        if (text_split(&known, axis->words))
            return complain_memory();
        complain(EXIT_USAGE, "--%s: %s is none of its values%s", axis->option, word,
                 suggest(near, word, (const char *const *)known.words, known.count));
        text_list_free(&known);
        return EXIT_USAGE;
    }
    if (text_count(word, &count) || count < axis->min || count > axis->max)
        return complain(EXIT_USAGE,
                        "--%s: '%s' is no number from %" PRIu64 " to %" PRIu64 "%s%s (10k and 1e6 "
                        "are numbers)",
                        axis->option, word, axis->min, axis->max, axis->words ? ", nor " : "",
                        axis->words ? axis->words : "");
    return EXIT_WELL;
}

static enum exit_code check_script(const struct options *options)
{
    const char *mode = options->values[CELL_gc_mode];
    if (!options->script && options->workloads && !strcmp(options->workloads, "script"))
        return complain(EXIT_USAGE, "--workloads script: --script FILE.py says which");
    if (!options->script)
        return options->script_args ? complain(EXIT_USAGE, "--script-arg: of which --script?")
                                    : EXIT_WELL;
    if (options->workloads || options->variants || options->targets)
        return complain(EXIT_USAGE, "--script is a workload of its own: no --%s with it",
                        options->workloads  ? "workloads"
                        : options->variants ? "variants"
                                            : "target");
    if (mode && among(mode, "manual"))
        return complain(EXIT_USAGE, "--gc manual: a script calls gc.collect() itself");
    if (access(options->script, R_OK))
        return complain(EXIT_USAGE, "--script %s: %s", options->script, strerror(errno));
    return EXIT_WELL;
}

enum exit_code plan_check(const struct options *options)
{
    enum exit_code code = EXIT_WELL;
    if (options->preset)
        code = select_check_preset(options->preset);
    if (code == EXIT_WELL && options->variants)
        code = select_check_variants(options->variants);
    if (code == EXIT_WELL && options->workloads)
        code = select_check_workloads(options->workloads);
    for (char **target = options->targets; code == EXIT_WELL && target && *target; target++)
        code = select_check_target(*target);
    if (code == EXIT_WELL && (options->make || options->link) && !options->targets)
        code = complain(EXIT_USAGE, "--%s says how instances of a --target are %s; name one",
                        options->make ? "make" : "link", options->make ? "made" : "linked");
    if (code == EXIT_WELL)
        code = check_script(options);
    for (int field = 0; code == EXIT_WELL && field < CELL_FIELDS; field++) {
        struct text_list list;
        if (!options->values[field])
            continue;
        if (text_split(&list, options->values[field]))
            return complain_memory();
        for (size_t w = 0; code == EXIT_WELL && w < list.count; w++)
            code = check_word(&axes[field], list.words[w]);
        text_list_free(&list);
    }
    return code;
}

/* ---- expansion ---- */

struct expansion {
    struct plan *plan;
    const struct options *options;
    const struct plan_limits *limits;
    const struct sweep *sweep;
    const struct workload_row *workload;
    const char *script; /* the cells' parameter of that name */
    bool used[CELL_FIELDS];
};

static bool automatic(const struct cell *cell)
{
    return !strcmp(cell->gc_mode, "on") || !strcmp(cell->gc_mode, "frozen");
}

/* Is the parameter of any meaning in this cell, whose gc_mode is set already? */
static bool applies(const struct workload_row *workload, const struct cell *cell,
                    enum cell_field field)
{
    switch (field) {
    case CELL_gc_mode:
        return !workload->explicit_only;
    case CELL_threshold0:
    case CELL_threshold1:
    case CELL_threshold2:
        return workload->retains && !workload->explicit_only && automatic(cell);
    case CELL_collect_every:
        return !strcmp(cell->gc_mode, "manual");
    case CELL_safepoint_every:
        return workload->n > 0;
    case CELL_samples:
        return workload->samples > 0;
    case CELL_arena:
    case CELL_allocator:
    case CELL_batches:
        return true;
    default:
        return tables_takes(workload, cell_parameters[field].name);
    }
}

static const struct plan_trial *trial_of(const struct expansion *x, const char *target)
{
    static const struct plan_trial unknown = {"", 0, 0};
    for (size_t i = 0; i < x->limits->trial_count; i++)
        if (!strcmp(x->limits->trials[i].target, target))
            return &x->limits->trials[i];
    return &unknown;
}

/* Bytes that one retained instance takes, with its slot: an upper estimate, so that a default size
 * errs on the small side. */
static uint64_t instance_bytes(const struct expansion *x, const char *target)
{
    const struct tables_variant *variant = tables_find_variant(target);
    if (variant) /* object head and GC head of any build, fields, instance dict, slot */
        return 64 + 8 * (uint64_t)variant->fields + (variant->row->dict ? 256 : 0) + 8;
    if (tables_find_target(target))
        return 512;
    uint64_t bytes = trial_of(x, target)->bytes;
    return bytes ? bytes + 8 : 1024;
}

/* `count` instances, or as many as fit into `bytes`, as 1, 2 or 5 times a power of ten: few
 * distinct sizes, so that runs on one machine keep their cell ids. */
static uint64_t fit_bytes(const struct expansion *x, const struct cell *cell, uint64_t count,
                          uint64_t bytes)
{
    if (!(x->workload->retains || x->workload->explicit_only))
        return count;
    uint64_t most = bytes / instance_bytes(x, cell->target);
    if (count <= most)
        return count;
    uint64_t power = 1;
    while (power * 10 <= most)
        power *= 10;
    return most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power;
}

/* A size that the user did not name takes at most half of the memory limit. */
static uint64_t fit_memory(const struct expansion *x, const struct cell *cell, uint64_t count)
{
    uint64_t limit = x->limits->memory_limit_bytes;
    return limit == UINT64_MAX ? count : fit_bytes(x, cell, count, limit / 2);
}

/* A default number of operations shrinks until a slow target of the user's takes bearable time. */
static uint64_t fit_time(const struct expansion *x, const struct cell *cell, uint64_t count,
                         double seconds)
{
    double ns = trial_of(x, cell->target)->ns;
    while (count >= 20 && (double)count * ns * 1e-9 > seconds)
        count /= 10;
    return count;
}

static int set_value(struct expansion *x, struct cell *cell, enum cell_field field,
                     const char *word, bool by_user)
{
    char number[CELL_COUNT_SIZE];
    uint64_t count = 0;
    if (cell_parameters[field].is_text)
        return cell_set(cell, field, word);
    if (strcmp(word, "none"))
        text_count(word, &count);
    if (!by_user && (field == CELL_n || field == CELL_live))
        count = fit_memory(x, cell, count);
    if (!by_user && field == CELL_n)
        count = fit_time(x, cell, count, PLAN_BATCHES_S / (double)x->workload->batches);
    if (!by_user && field == CELL_live)
        count = fit_time(x, cell, count, PLAN_BATCHES_S);
    if (!by_user && field == CELL_samples)
        count = fit_time(x, cell, count, PLAN_SAMPLES_S);
    if (field == CELL_safepoint_every && count > plan_safepoint_cap(cell->threshold0))
        count = plan_safepoint_cap(cell->threshold0);
    snprintf(number, sizeof number, "%" PRIu64, count);
    return cell_set(cell, field, number);
}

/* All cells that agree with `cell` in gc_mode and the fields below `field`. 0, or -1. */
static int expand_fields(struct expansion *x, const struct cell *cell, int field)
{
    while (field < CELL_FIELDS && (!axes[field].option || field == CELL_gc_mode ||
                                   !applies(x->workload, cell, (enum cell_field)field)))
        field++;
    if (field == CELL_FIELDS)
        return x->plan->count < CELLS_MAX ? plan_add(x->plan, cell) : -1;
    char number[CELL_COUNT_SIZE];
    const char *user = x->options->values[field], *values = user;
    if (!values)
        values = x->sweep->values[field];
    uint64_t count = workload_row_default(x->workload, (enum cell_field)field, cell->live);
    if (!values && count) {
        if ((field == CELL_n || field == CELL_live) && !x->workload->whole)
            count = fit_bytes(x, cell, count, PLAN_RETAINED_BYTES);
        snprintf(number, sizeof number, "%" PRIu64, count);
        values = number;
    }
    if (!values)
        values = axes[field].preset;
    x->used[field] = true;
    if (!values)
        return expand_fields(x, cell, field + 1);
    struct text_list list;
    if (text_split(&list, values))
        return -1;
    int result = 0;
    for (size_t w = 0; w < list.count && !result; w++) {
        struct cell next = *cell;
        result = set_value(x, &next, (enum cell_field)field, list.words[w], user != NULL);
        /* The list's words go away; plan_add() copies them before that. */
        result = result ? result : expand_fields(x, &next, field + 1);
    }
    text_list_free(&list);
    return result;
}

static int expand_modes(struct expansion *x, const struct cell *cell)
{
    if (!applies(x->workload, cell, CELL_gc_mode))
        return expand_fields(x, cell, 0);
    const char *values = x->options->values[CELL_gc_mode];
    if (!values)
        values = x->sweep->values[CELL_gc_mode];
    struct text_list list;
    if (!values)
        values = x->workload->gc_modes ? x->workload->gc_modes : axes[CELL_gc_mode].preset;
    if (text_split(&list, values))
        return -1;
    int result = 0;
    x->used[CELL_gc_mode] = true;
    for (size_t w = 0; w < list.count && !result; w++) {
        struct cell next = *cell;
        next.gc_mode = list.words[w];
        result = expand_fields(x, &next, 0);
    }
    text_list_free(&list);
    return result;
}

/* `chosen`: the user named this target himself. */
static int expand_target(struct expansion *x, const char *target, bool chosen)
{
    const struct tables_target *builtin = tables_find_target(target);
    struct cell cell;
    cell_init(&cell);
    cell.target = target;
    cell.workload = x->workload->name;
    cell.script = x->script;
    if (!chosen && builtin && builtin->free_list && !x->workload->retains &&
        !x->workload->explicit_only)
        return 0;
    if (!chosen && plan_unlinkable(x->workload, target))
        return 0;
    if (chosen && !builtin && !tables_find_variant(target)) {
        cell.make = x->options->make ? x->options->make : "";
        cell.link = x->options->link ? x->options->link : "";
    }
    return expand_modes(x, &cell);
}

static int expand_targets(struct expansion *x)
{
    char **chosen = x->options->targets;
    const char *wanted = x->options->variants;
    if (!wanted && !chosen)
        wanted = x->sweep->variants;
    struct text_list list;
    int result = 0, count;
    for (; chosen && *chosen && !result; chosen++)
        result = expand_target(x, *chosen, true);
    if (!result && wanted) {
        const struct tables_variant *variants = tables_variants(&count);
        if (text_split(&list, wanted))
            return -1;
        for (int i = 0; i < count && !result; i++)
            if (select_variant(&variants[i], &list))
                result = expand_target(x, variants[i].name, x->options->variants != NULL);
        text_list_free(&list);
    }
    if (!result && x->sweep->targets && !x->options->targets && !x->options->variants) {
        if (text_split(&list, x->sweep->targets))
            return -1;
        for (size_t w = 0; w < list.count && !result; w++)
            result = expand_target(x, list.words[w], false);
        text_list_free(&list);
    }
    return result;
}

static int expand_sweep(struct expansion *x, const struct sweep *sweep, const char *workloads,
                        bool *swept)
{
    struct text_list theirs, wanted = {0};
    int count, result = 0;
    const struct workload_row *rows = tables_workloads(&count);
    x->sweep = sweep;
    if (text_split(&theirs, sweep->workloads) || (workloads && text_split(&wanted, workloads)))
        result = -1;
    for (int i = 0; i < count && !result; i++) {
        if (!select_name(rows[i].name, &theirs) ||
            (workloads && !select_name(rows[i].name, &wanted)))
            continue;
        x->workload = &rows[i];
        swept[i] = true;
        result = expand_targets(x);
    }
    text_list_free(&theirs);
    text_list_free(&wanted);
    return result;
}

/* The cells' parameter `script`: its words between spaces, \\s for a space in one and \\\\ for a
 * backslash. Owned; NULL where memory ran out. */
static char *script_words(const struct options *options)
{
    struct csv text = {0};
    const char *word = options->script ? options->script : "";
    for (char **next = options->script_args;; word = *next++) {
        for (; *word; word++)
            if (*word == ' ' || *word == '\\')
                csv_raw(&text, *word == ' ' ? "\\s" : "\\\\", 2);
            else
                csv_raw(&text, word, 1);
        if (!next || !*next)
            break;
        csv_raw(&text, " ", 1);
    }
    char *words = text.failed ? NULL : strdup(text.data ? text.data : "");
    csv_free(&text);
    return words;
}

/* Does the user want a workload that no sweep has? One that runs a script wants --script. */
static bool wanted_besides(const struct options *options, const struct workload_row *workload)
{
    if (tables_takes(workload, "script"))
        return options->script != NULL;
    return options->workloads != NULL;
}

#define WORKLOADS_MAX 64

enum exit_code plan_expand(struct plan *plan, const struct options *options,
                           const struct plan_limits *limits)
{
    struct expansion x = {.plan = plan, .options = options, .limits = limits};
    const char *preset = options->preset ? options->preset : "quick";
    bool swept[WORKLOADS_MAX] = {false};
    int sweep_count, workload_count, result = 0;
    const struct sweep *sweeps = tables_sweeps(&sweep_count);
    const struct workload_row *workloads = tables_workloads(&workload_count);
    char *script = script_words(options);
    x.script = script;
    if (!script)
        return complain_memory();
    for (int i = 0; i < sweep_count && !result && !options->script; i++)
        if (!strcmp(sweeps[i].preset, preset))
            result = expand_sweep(&x, &sweeps[i], options->workloads, swept);
    /* A workload that the user names and no sweep has gets one of its own, at the defaults. */
    for (int i = 0; i < workload_count && !result; i++) {
        if (!wanted_besides(options, &workloads[i]))
            continue;
        struct sweep extra = {.variants = workloads[i].two_links ? "plain2,gc2" : "plain1,gc1",
                              .workloads = workloads[i].name};
        if (options->script)
            extra.variants = NULL, extra.targets = "null";
        if (!swept[i])
            result = expand_sweep(&x, &extra, options->workloads, swept);
    }
    free(script); /* the cells have copies */
    if (result && plan->count >= CELLS_MAX)
        return complain(EXIT_USAGE, "more than %d cells: shorten the lists", CELLS_MAX);
    if (result || plan_drop_doubles(plan))
        return complain_memory();
    for (int field = 0; field < CELL_FIELDS; field++)
        if (options->values[field] && !x.used[field])
            return complain(EXIT_USAGE,
                            "--%s: no cell of this plan takes it (gctax list workloads)",
                            axes[field].option);
    if (!plan->count)
        return complain(EXIT_USAGE, "the plan is empty: no cell is left by these options");
    return EXIT_WELL;
}
