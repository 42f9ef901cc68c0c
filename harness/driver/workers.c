#include "workers.h"

#include "suggest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "gctax-worker-"
#define NAMES_MAX 64
/* For describe and preflight: the start of an interpreter, and perhaps an import. */
#define DESCRIBE_TIMEOUT_S 60

extern char **environ;

static bool runnable(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode) && !access(path, X_OK);
}

int workers_add(struct workers *workers, const char *name, char *const *words, size_t count)
{
    struct worker *list = realloc(workers->list, (workers->count + 1) * sizeof *list);
    if (!list)
        return -1;
    workers->list = list;
    struct worker *worker = &list[workers->count++];
    *worker = (struct worker){.name = strdup(name), .argv = calloc(count + 1, sizeof(char *))};
    for (; worker->argv && worker->words < count; worker->words++)
        if (!(worker->argv[worker->words] = strdup(words[worker->words])))
            return -1;
    return worker->name && worker->argv ? 0 : -1;
}

/* gctax-worker-3.13.0 and what begins so, but no gctax-worker-3.13. */
static int is_worker(const struct dirent *entry)
{
    const char *at = entry->d_name;
    if (strncmp(at, PREFIX, strlen(PREFIX)))
        return 0;
    at += strlen(PREFIX);
    for (int part = 0; part < 3; part++) {
        if (!isdigit((unsigned char)*at) || (part && at[-1] != '.'))
            return 0;
        at += strspn(at, "0123456789");
        at += *at == '.' && part < 2;
    }
    return 1;
}

static bool known(const struct workers *workers, const char *name)
{
    for (size_t i = 0; i < workers->count; i++)
        if (!strcmp(workers->list[i].name, name))
            return true;
    return false;
}

static int find_in(struct workers *workers, const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_worker, versionsort), result = 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX], *words[] = {path};
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        const char *name = entries[i]->d_name + strlen(PREFIX);
        if (!result && runnable(path) && !known(workers, name))
            result = workers_add(workers, name, words, 1);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return result;
}

static enum exit_code find_beside(struct workers *workers)
{
    char own[PATH_MAX], directory[PATH_MAX + 32];
    if (!process_executable(own, sizeof own))
        return complain(EXIT_ENVIRONMENT, "cannot tell where gctax is; name workers by --worker");
    *strrchr(own, '/') = '\0';
    snprintf(directory, sizeof directory, "%s/../libexec/gctax", own);
    if (find_in(workers, own) || find_in(workers, directory))
        return complain_memory();
    if (!workers->count)
        return complain(EXIT_ENVIRONMENT,
                        "no worker (gctax-worker-X.Y.Z) beside gctax in %s nor in "
                        "../libexec/gctax; build some, or name one by --worker",
                        own);
    return EXIT_WELL;
}

/* The nearest workers to a path that is not there: those in its own folder. */
static enum exit_code missing(const char *word)
{
    char folder[PATH_MAX], near[SUGGEST_SIZE];
    const char *slash = strrchr(word, '/'), *names[NAMES_MAX];
    struct dirent **entries;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - word) + 1 : 1,
             slash ? word : ".");
    int count = scandir(folder, &entries, is_worker, versionsort), kept = 0;
    for (int i = 0; i < count && i < NAMES_MAX; i++)
        names[kept++] = entries[i]->d_name;
    near[0] = '\0';
    if (kept)
        suggest(near, slash ? slash + 1 : word, names, (size_t)kept);
    complain(EXIT_USAGE, "--worker: no program %s%s%s", word,
             slash ? "" : " on PATH (a file beside you is ./NAME)", near);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    return EXIT_USAGE;
}

/* Where a command's first word is: as it stands where it has a slash, else on PATH. */
static bool locate(const char *word, char path[PATH_MAX])
{
    if (strchr(word, '/'))
        return realpath(word, path) ? snprintf(path, PATH_MAX, "%s", word), runnable(word) : false;
    const char *search = getenv("PATH");
    for (const char *at = search; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, word);
        if (length && runnable(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static enum exit_code add_command(struct workers *workers, const char *command)
{
    const char **words;
    int count;
    char path[PATH_MAX], absolute[PATH_MAX];
    if (poptParseArgvString(command, &count, &words))
        return complain(EXIT_USAGE, "--worker '%s': not the words of a command", command);
    if (!locate(words[0], path)) {
        enum exit_code code = missing(words[0]);
        free(words);
        return code;
    }
    /* Absolute, so that a run can be resumed from elsewhere; a link stays a link, its name counts.
     */
    if (path[0] != '/' && getcwd(absolute, sizeof absolute) &&
        strlen(absolute) + strlen(path) + 2 < sizeof absolute) {
        strcat(strcat(absolute, "/"), path);
        snprintf(path, sizeof path, "%s", absolute);
    }
    char **copy = calloc((size_t)count, sizeof *copy);
    const char *base = strrchr(path, '/') + 1;
    bool single = count == 1 && !strncmp(base, PREFIX, strlen(PREFIX));
    int result = -1;
    if (copy) {
        memcpy(copy, words, (size_t)count * sizeof *copy);
        copy[0] = path;
        result = workers_add(workers, single ? base + strlen(PREFIX) : "", copy, (size_t)count);
    }
    free(copy);
    free(words);
    return result ? complain_memory() : EXIT_WELL;
}

enum exit_code workers_find(struct workers *workers, char *const *commands)
{
    if (!commands)
        return find_beside(workers);
    enum exit_code code = EXIT_WELL;
    for (; *commands && code == EXIT_WELL; commands++)
        code = add_command(workers, *commands);
    return code;
}

const char *workers_fact(const struct worker *worker, const char *key)
{
    for (size_t i = 0; i < worker->fact_count; i++)
        if (!strcmp(worker->facts[i].key, key))
            return worker->facts[i].value;
    return "";
}

static int add_fact(struct worker *worker, const char *key, const char *value)
{
    struct worker_fact *facts = realloc(worker->facts, (worker->fact_count + 1) * sizeof *facts);
    if (!facts)
        return -1;
    worker->facts = facts;
    facts[worker->fact_count] = (struct worker_fact){strdup(key), strdup(value)};
    return facts[worker->fact_count].key && facts[worker->fact_count++].value ? 0 : -1;
}

static int read_facts(struct worker *worker, struct csv *rows)
{
    struct record record;
    int result = 0;
    record_init(&record, RECORD_ENVIRONMENT);
    for (char *line = rows->data, *feed; line && !result; line = feed + 1) {
        if (!(feed = strchr(line, '\n')))
            break;
        *feed = '\0';
        if (record_parse(&record, line))
            result = -1;
        else
            result = add_fact(worker, record_get(&record, ENVIRONMENT_key),
                              record_get(&record, ENVIRONMENT_value));
    }
    record_free(&record);
    worker->release = atoi(workers_fact(worker, "release"));
    worker->free_threaded = !strcmp(workers_fact(worker, "free_threaded"), "1");
    return result;
}

/* A name that no other worker has: the given one, else version and flags. */
static int settle_name(struct workers *workers, struct worker *worker)
{
    char base[64], name[80];
    if (worker->name[0])
        snprintf(base, sizeof base, "%.60s", worker->name);
    else
        snprintf(base, sizeof base, "%.32s%s%s", workers_fact(worker, "python_version"),
                 worker->free_threaded ? "t" : "",
                 strcmp(workers_fact(worker, "debug"), "1") ? "" : "d");
    snprintf(name, sizeof name, "%s", base);
    free(worker->name);
    worker->name = NULL;
    for (int n = 2;; n++) {
        bool taken = false;
        for (size_t i = 0; &workers->list[i] < worker; i++)
            taken |= !strcmp(workers->list[i].name, name);
        if (!taken)
            break;
        snprintf(name, sizeof name, "%s-%d", base, n);
    }
    worker->name = strdup(name);
    return worker->name ? 0 : -1;
}

const char **workers_command(const struct worker *worker, const char *verb,
                             const char *const *arguments)
{
    size_t count = 0;
    while (arguments && arguments[count])
        count++;
    const char **argv = malloc((worker->words + count + 2) * sizeof *argv);
    if (!argv)
        return NULL;
    for (size_t i = 0; i < worker->words; i++)
        argv[i] = worker->argv[i];
    argv[worker->words] = verb;
    for (size_t i = 0; i < count; i++)
        argv[worker->words + 1 + i] = arguments[i];
    argv[worker->words + 1 + count] = NULL;
    return argv;
}

static int ask(const struct workers *workers, const struct worker *worker, const char *verb,
               const char *const *arguments, struct runner_result *result)
{
    const struct runner_limits limits = {DESCRIBE_TIMEOUT_S, UINT64_MAX};
    const char **argv = workers_command(worker, verb, arguments);
    if (!argv)
        return -1;
    struct process_start start = {argv, workers->environment, -1};
    runner_run(&start, &limits, result);
    free(argv);
    return 0;
}

static enum exit_code describe(struct workers *workers, struct worker *worker)
{
    struct runner_result result;
    char text[RUNNER_TEXT_SIZE], detail[RUNNER_TEXT_SIZE * 2];
    const struct runner_limits limits = {DESCRIBE_TIMEOUT_S, UINT64_MAX};
    enum exit_code code = EXIT_WELL;
    const char *last = worker->argv[worker->words - 1];
    if (ask(workers, worker, "describe", NULL, &result))
        return complain_memory();
    const char *mismatch = runner_mismatch(&result, text);
    if (result.outcome == RUNNER_INTERRUPTED) {
        code = (enum exit_code)(128 + process_interrupted());
    } else if (result.outcome != RUNNER_EXITED || result.end.signal || result.end.exit_code) {
        runner_status(&result, &limits, detail);
        code = complain(EXIT_ENVIRONMENT, "worker %s cannot describe itself: %s", last, detail);
    } else if (mismatch) {
        code = complain(EXIT_ENVIRONMENT, "worker %s is of no use: %s", last, mismatch);
    } else if (result.bad_row[0] || !result.rows[RECORD_ENVIRONMENT].length) {
        code = complain(EXIT_ENVIRONMENT, "worker %s: what it describes is not well formed: %s",
                        last, result.bad_row);
    } else if (read_facts(worker, &result.rows[RECORD_ENVIRONMENT]) ||
               settle_name(workers, worker)) {
        code = complain_memory();
    }
    runner_free(&result);
    return code;
}

enum exit_code workers_describe(struct workers *workers)
{
    enum exit_code code = EXIT_WELL;
    if (!workers->environment)
        workers->environment = runner_environment(environ, &workers->scrubbed);
    if (!workers->environment || workers->scrubbed.failed)
        return complain_memory();
    for (size_t i = 0; i < workers->count && code == EXIT_WELL; i++)
        code = describe(workers, &workers->list[i]);
    return code;
}

int workers_preflight(const struct workers *workers, const struct worker *worker,
                      const char *const *arguments, struct preflight *preflight)
{
    struct runner_result result;
    const struct runner_limits limits = {DESCRIBE_TIMEOUT_S, UINT64_MAX};
    memset(preflight, 0, sizeof *preflight);
    if (ask(workers, worker, "preflight", arguments, &result))
        return complain_memory();
    if (result.outcome == RUNNER_INTERRUPTED) {
        runner_free(&result);
        return 128 + process_interrupted();
    }
    const char *status = runner_status(&result, &limits, preflight->detail);
    bool told = !strcmp(status, "ok") || !strcmp(status, "skipped");
    snprintf(preflight->status, sizeof preflight->status, "%s", told ? status : "error");
    if (result.outcome == RUNNER_EXITED && !result.end.signal && !result.has_cells &&
        result.end.exit_code && result.last_error[0])
        snprintf(preflight->detail, sizeof preflight->detail, "%s", result.last_error);
    runner_free(&result);
    return EXIT_WELL;
}

int workers_trial(const struct workers *workers, const struct worker *worker,
                  const char *const *arguments, struct plan_trial *trial)
{
    char n[32];
    const char *fixed[] = {"--workload=retain", n,
                           "--free_order=fifo", "--gc_mode=off",
                           "--batches=1",       "--samples=1",
                           "--repeat=0",        "--seed=1"};
    const size_t fixed_count = sizeof fixed / sizeof *fixed;
    struct runner_result result;
    size_t count = 0;
    while (arguments[count])
        count++;
    const char **argv = malloc((count + fixed_count + 1) * sizeof *argv);
    snprintf(n, sizeof n, "--n=%d", WORKERS_TRIAL_N);
    if (!argv)
        return complain_memory();
    memcpy(argv, arguments, count * sizeof *argv);
    memcpy(argv + count, fixed, sizeof fixed);
    argv[count + fixed_count] = NULL;
    int failed = ask(workers, worker, "cell", argv, &result);
    free(argv);
    if (failed)
        return complain_memory();
    double owned = atof(record_get(&result.cells, CELLS_own_usable_bytes)) +
                   atof(record_get(&result.cells, CELLS_owned_usable_bytes));
    double resident = atof(record_get(&result.cells, CELLS_resident_bytes));
    double ns = atof(record_get(&result.cells, CELLS_op_mean_ns));
    double bytes = owned > resident ? owned : resident;
    if (bytes > (double)trial->bytes)
        trial->bytes = (uint64_t)bytes;
    if (ns > trial->ns)
        trial->ns = ns;
    int code = result.outcome == RUNNER_INTERRUPTED ? 128 + process_interrupted() : EXIT_WELL;
    runner_free(&result);
    return code;
}

void workers_free(struct workers *workers)
{
    for (size_t i = 0; i < workers->count; i++) {
        struct worker *worker = &workers->list[i];
        for (size_t w = 0; worker->argv && w < worker->words; w++)
            free(worker->argv[w]);
        for (size_t f = 0; f < worker->fact_count; f++) {
            free(worker->facts[f].key);
            free(worker->facts[f].value);
        }
        free(worker->facts);
        free(worker->argv);
        free(worker->name);
    }
    free(workers->list);
    free(workers->environment);
    csv_free(&workers->scrubbed);
    *workers = (struct workers){0};
}
