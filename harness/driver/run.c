#include "run.h"

#include "planfile.h"
#include "process.h"
#include "select.h"
#include "sysinfo.h"
#include "tables.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int run_refuse(struct run *run, size_t worker, const char *target, const char *reason)
{
    struct run_refusal *list =
        realloc(run->refusals, (run->refusal_count + 1) * sizeof *run->refusals);
    if (!list)
        return -1;
    run->refusals = list;
    list[run->refusal_count] = (struct run_refusal){worker, strdup(target), strdup(reason)};
    const struct run_refusal *added = &list[run->refusal_count++];
    return added->target && added->reason ? 0 : -1;
}

void run_free(struct run *run)
{
    for (size_t i = 0; i < run->refusal_count; i++) {
        free(run->refusals[i].target);
        free(run->refusals[i].reason);
    }
    free(run->refusals);
    plan_free(&run->plan);
    workers_free(&run->workers);
    options_free(&run->options);
}

static int absolute(char **path)
{
    char *real = realpath(*path, NULL);
    if (!real) /* left for the worker, which may see other folders than we do */
        return errno == ENOMEM ? -1 : 0;
    free(*path);
    *path = real;
    return 0;
}

int run_absolute(struct options *options)
{
    for (char **path = options->paths; path && *path; path++)
        if (absolute(path))
            return -1;
    return options->venv ? absolute(&options->venv) : 0;
}

void run_limit_memory(struct run *run)
{
    run->memory_limit_bytes =
        run->options.memory_limit_bytes ? run->options.memory_limit_bytes : sysinfo_memory_limit();
}

/* --path and --venv for a worker, added to argv (with room for them). One block, or NULL. */
static char *place_arguments(const struct options *options, const char **argv, size_t *count)
{
    size_t size = 1;
    for (char **path = options->paths; path && *path; path++)
        size += strlen(*path) + sizeof "--path=";
    size += options->venv ? strlen(options->venv) + sizeof "--venv=" : 0;
    char *block = malloc(size), *at = block;
    for (char **path = options->paths; block && path && *path; path++) {
        argv[(*count)++] = at;
        at += sprintf(at, "--path=%s", *path) + 1;
    }
    if (block && options->venv) {
        argv[(*count)++] = at;
        sprintf(at, "--venv=%s", options->venv);
    }
    return block;
}

static size_t place_count(const struct options *options)
{
    size_t count = options->venv != NULL;
    for (char **path = options->paths; path && *path; path++)
        count++;
    return count;
}

const char **run_arguments(const struct run *run, const struct plan_job *job, char **block)
{
    const char *parts[CELL_FIELDS + 1], **argv = NULL, **result = NULL;
    char numbers[64];
    int cell_count;
    size_t count = 0;
    char *cells = cell_arguments(&job->cell->cell, parts, &cell_count), *places = NULL;
    argv = malloc(((size_t)cell_count + place_count(&run->options) + 3) * sizeof *argv);
    if (!cells || !argv)
        goto done;
    memcpy(argv, parts, (size_t)cell_count * sizeof *argv);
    count = (size_t)cell_count;
    places = place_arguments(&run->options, argv, &count);
    if (!places)
        goto done;
    int split = snprintf(numbers, sizeof numbers, "--repeat=%u", job->repeat) + 1;
    snprintf(numbers + split, sizeof numbers - (size_t)split, "--seed=%llu",
             (unsigned long long)plan_worker_seed(job->repeat));
    argv[count++] = numbers;
    argv[count++] = numbers + split;
    argv[count] = NULL;
    /* One block for all strings: the caller keeps one pointer. */
    size_t size = 1; /* an empty string's, were there none */
    for (size_t i = 0; i < count; i++)
        size += strlen(argv[i]) + 1;
    char *at = *block = malloc(size);
    if (!at)
        goto done;
    for (size_t i = 0; i < count; i++) {
        at = strcpy(at, argv[i]);
        argv[i] = at;
        at += strlen(at) + 1;
    }
    result = workers_command(&run->workers.list[job->worker], "cell", argv);
    if (!result)
        free(*block);
done:
    free(cells);
    free(places);
    free(argv);
    return result;
}

/* Asks every worker whether it can open the target, and lets the first that can try it. Fills
 * refusals and the trial. */
static int preflight(struct run *run, const char *target, struct plan_trial *trial)
{
    const struct options *options = &run->options;
    const char **argv = malloc((place_count(options) + 4) * sizeof *argv);
    char *words[3] = {NULL}, *places = NULL;
    struct preflight answer = {0};
    size_t count = 0, errors = 0;
    int code = EXIT_WELL;
    bool tried = false;
    if (!argv || asprintf(&words[0], "--target=%s", target) < 0 ||
        (options->make && asprintf(&words[1], "--make=%s", options->make) < 0) ||
        (options->link && asprintf(&words[2], "--link=%s", options->link) < 0)) {
        code = complain_memory();
        goto done;
    }
    for (int i = 0; i < 3; i++)
        if (words[i])
            argv[count++] = words[i];
    places = place_arguments(options, argv, &count);
    if (!places) {
        code = complain_memory();
        goto done;
    }
    argv[count] = NULL;
    for (size_t i = 0; i < run->workers.count && code == EXIT_WELL; i++) {
        code = workers_preflight(&run->workers, &run->workers.list[i], argv, &answer);
        errors += !strcmp(answer.status, "error");
        if (code == EXIT_WELL && strcmp(answer.status, "ok") &&
            run_refuse(run, i, target, answer.detail))
            code = complain_memory();
        if (code == EXIT_WELL && !tried && !strcmp(answer.status, "ok")) {
            tried = true;
            code = workers_trial(&run->workers, &run->workers.list[i], argv, trial);
        }
    }
    if (code == EXIT_WELL && errors == run->workers.count)
        code = complain(EXIT_USAGE, "--target %s: %s", target, answer.detail);
done:
    for (int i = 0; i < 3; i++)
        free(words[i]);
    free(places);
    free(argv);
    return code;
}

/* Asks after each of the user's targets; trials has room for them. Exit code. */
static int preflight_all(struct run *run, struct plan_trial *trials, size_t *count)
{
    int code = EXIT_WELL;
    for (char **target = run->options.targets; code == EXIT_WELL && target && *target; target++) {
        if (!select_is_expression(*target))
            continue;
        trials[*count].target = *target;
        code = preflight(run, *target, &trials[(*count)++]);
    }
    return code;
}

/* Checks, workers and cells. Exit code. */
static int prepare_cells(struct run *run, struct plan_trial *trials)
{
    struct options *options = &run->options;
    struct plan_limits limits = {.trials = trials};
    int code = plan_check(options);
    if (code == EXIT_WELL && options->pin_cpu >= 0 && !process_may_pin(options->pin_cpu))
        code =
            complain(EXIT_USAGE, "--pin %d: no CPU that this process may run on", options->pin_cpu);
    if (code == EXIT_WELL && run_absolute(options))
        code = complain_memory();
    if (code == EXIT_WELL)
        code = workers_find(&run->workers, options->workers);
    if (code == EXIT_WELL)
        code = workers_describe(&run->workers);
    if (code == EXIT_WELL)
        code = preflight_all(run, trials, &limits.trial_count);
    run_limit_memory(run);
    limits.memory_limit_bytes = run->memory_limit_bytes;
    if (code == EXIT_WELL)
        code = plan_expand(&run->plan, options, &limits);
    return code;
}

int run_prepare(struct run *run)
{
    const struct options *options = &run->options;
    size_t targets = 0;
    while (options->targets && options->targets[targets])
        targets++;
    struct plan_trial *trials = calloc(targets + 1, sizeof *trials);
    int code = trials ? prepare_cells(run, trials) : (int)complain_memory();
    free(trials);
    if (code != EXIT_WELL)
        return code;
    plan_shuffle(&run->plan, options->shuffle_seed);
    plan_shard(&run->plan, options->shard_index, options->shard_count);
    if (!run->plan.count)
        return complain(EXIT_USAGE, "--shard %s: no cell of this plan falls to it", options->shard);
    const struct preset *preset = tables_find_preset(options->preset ? options->preset : "quick");
    run->repeats = options->repeats ? options->repeats : preset->repeats;
    char stamp[24];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
    snprintf(run->id, sizeof run->id, "%s-%ld", stamp, (long)getpid());
    return EXIT_WELL;
}

const char *run_skip(const struct run *run, const struct plan_job *job,
                     char reason[PLAN_REASON_SIZE])
{
    const struct worker *worker = &run->workers.list[job->worker];
    for (size_t i = 0; i < run->refusal_count; i++)
        if (run->refusals[i].worker == job->worker &&
            !strcmp(run->refusals[i].target, job->cell->cell.target))
            return run->refusals[i].reason;
    return plan_skip(&job->cell->cell, worker->release, worker->free_threaded, reason);
}

int run_dry(const struct run *run, const struct journal *journal)
{
    size_t jobs = plan_jobs(&run->plan, run->workers.count, run->repeats);
    for (size_t i = 0; i < jobs; i++) {
        struct plan_job job = plan_job(&run->plan, run->workers.count, i);
        const char *worker = run->workers.list[job.worker].name;
        char reason[PLAN_REASON_SIZE];
        const char *arguments[CELL_FIELDS + 1], *why = run_skip(run, &job, reason);
        int count;
        if (journal && journal_has(journal, job.cell->id, worker, job.repeat))
            continue;
        char *block = cell_arguments(&job.cell->cell, arguments, &count);
        if (!block)
            return complain_memory();
        printf("%s %s %u %s", job.cell->id, worker, job.repeat, why ? "skipped" : "run");
        for (int a = 0; a < count; a++)
            printf(" %s", arguments[a]);
        printf(why ? " # %s\n" : "\n", why);
        free(block);
    }
    if (fflush(stdout) || ferror(stdout))
        return complain(EXIT_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
    return EXIT_WELL;
}

/* The folder of a run without --out. */
static void default_out(const struct run *run, char path[PATH_MAX])
{
    char stamp[24];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    snprintf(path, PATH_MAX, "runs/%s-%s", stamp,
             run->options.preset ? run->options.preset : "quick");
}

static int new_run(struct run *run, struct journal *journal, int argc, const char **argv,
                   char out[PATH_MAX])
{
    struct csv plan = {0}, environment = {0};
    bool force = run->options.force != 0;
    int code = EXIT_WELL;
    if (run->options.out)
        snprintf(out, PATH_MAX, "%s", run->options.out);
    else
        default_out(run, out);
    if (!run->options.dry_run || run->options.out)
        code = journal_check(out, force);
    if (code == EXIT_WELL)
        code = run_prepare(run);
    if (code == EXIT_WELL && run->options.dry_run)
        return run_dry(run, NULL);
    if (code == EXIT_WELL &&
        (planfile_write(run, &plan) || run_environment(run, argc, argv, &environment)))
        code = complain_memory();
    if (code == EXIT_WELL)
        code = journal_create(journal, out, &plan, &environment);
    csv_free(&plan);
    csv_free(&environment);
    return code == EXIT_WELL ? run_execute(run, journal) : code;
}

static int resumed_run(struct run *run, struct journal *journal, int argc, const char **argv,
                       char out[PATH_MAX])
{
    struct csv plan = {0}, environment = {0};
    if (run->options.out || run->options.force)
        return complain(EXIT_USAGE, "--resume goes on with the run in its folder: no --%s with it",
                        run->options.out ? "out" : "force");
    snprintf(out, PATH_MAX, "%s", run->options.resume);
    int code = journal_open(journal, out, &plan);
    if (code == EXIT_WELL && run_absolute(&run->options))
        code = complain_memory();
    if (code == EXIT_WELL && !plan.data)
        code = complain(EXIT_ENVIRONMENT, "plan: is empty");
    if (code == EXIT_WELL)
        code = planfile_read(run, plan.data);
    run_limit_memory(run);
    if (code == EXIT_WELL && run_environment(run, argc, argv, &environment))
        code = complain_memory();
    if (code == EXIT_WELL)
        code = journal_recover(journal, &environment);
    if (code == EXIT_WELL)
        code = run->options.dry_run ? run_dry(run, journal) : run_execute(run, journal);
    csv_free(&plan);
    csv_free(&environment);
    return code;
}

int run_command(int argc, const char **argv)
{
    struct run run = {0};
    struct journal journal = {.directory = -1, .files = {-1, -1, -1}};
    char out[PATH_MAX] = "";
    int code = options_read(&run.options, argc, argv);
    if (code == EXIT_WELL && run.options.help) {
        options_help();
    } else if (code == EXIT_WELL) {
        if (process_setup())
            code = complain(EXIT_ENVIRONMENT, "cannot watch processes: %s", strerror(errno));
        else if (run.options.resume)
            code = resumed_run(&run, &journal, argc, argv, out);
        else
            code = new_run(&run, &journal, argc, argv, out);
        if (journal.directory >= 0 && !run.options.dry_run && puts(out) < 0)
            code = code ? code : EXIT_ENVIRONMENT;
    }
    journal_close(&journal);
    run_free(&run);
    return code;
}
