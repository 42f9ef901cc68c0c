#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const file_names[JOURNAL_TABLES] = {
    [RECORD_CELLS] = "cells.csv", [RECORD_PAUSES] = "pauses.csv", [RECORD_LATENCY] = "latency.csv"};
/* All that a run's folder holds of ours, and what a file is called until it is whole. */
static const char *const own_files[] = {"plan", "cells.csv", "pauses.csv", "latency.csv",
                                        "environment.csv"};
#define OWN_FILES (sizeof own_files / sizeof *own_files)
#define PARTIAL ".partial"

static int write_all(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        data += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Writes a file so that it is there whole or not at all. 0, or -1 with errno. */
static int put_file(int directory, const char *name, const char *data, size_t length)
{
    char partial[64];
    snprintf(partial, sizeof partial, "%s" PARTIAL, name);
    int fd = openat(directory, partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    bool good = !write_all(fd, data, length) && !fdatasync(fd);
    int error = errno;
    if (close(fd) && good) {
        good = false;
        error = errno;
    }
    if (good && !renameat(directory, partial, directory, name))
        return fsync(directory);
    error = good ? errno : error;
    unlinkat(directory, partial, 0);
    errno = error;
    return -1;
}

static enum exit_code cannot(const char *what, const char *path)
{
    const char *hint = errno == ENOSPC || errno == EDQUOT || errno == EFBIG
                           ? "; make room, then go on with --resume"
                           : "";
    return complain(EXIT_ENVIRONMENT, "cannot %s %s: %s%s", what, path, strerror(errno), hint);
}

/* Is there anything in the folder? */
static bool occupied(const char *path)
{
    DIR *directory = opendir(path);
    bool found = false;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        found |= strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    if (directory)
        closedir(directory);
    return found;
}

enum exit_code journal_check(const char *path, bool force)
{
    struct stat info;
    char place[PATH_MAX];
    if (strlen(path) + 64 > sizeof place)
        return complain(EXIT_USAGE, "--out: the path is too long");
    if (!stat(path, &info)) {
        if (!S_ISDIR(info.st_mode))
            return complain(EXIT_USAGE, "--out %s: is a file, not a folder", path);
        if (access(path, W_OK | X_OK))
            return complain(EXIT_USAGE, "--out %s: %s", path, strerror(errno));
        if (!force && occupied(path))
            return complain(EXIT_USAGE,
                            "--out %s: is not empty; --force replaces the run in it, --resume %s "
                            "goes on with it",
                            path, path);
        return EXIT_WELL;
    }
    /* The nearest folder above that exists has to take the new ones. */
    snprintf(place, sizeof place, "%s", path);
    while (stat(place, &info)) {
        char *slash = strrchr(place, '/');
        if (errno != ENOENT)
            return complain(EXIT_USAGE, "--out %s: %s", path, strerror(errno));
        if (!slash)
            strcpy(place, ".");
        else if (slash == place)
            place[1] = '\0';
        else
            *slash = '\0';
    }
    if (access(place, W_OK | X_OK))
        return complain(EXIT_USAGE, "--out %s: cannot write in %s: %s", path, place,
                        strerror(errno));
    return EXIT_WELL;
}

static int make_parents(const char *path)
{
    char place[PATH_MAX];
    snprintf(place, sizeof place, "%s", path);
    for (char *slash = strchr(place + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(place, 0777) && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}

/* Opens and locks the folder; the lock goes with the descriptor, even after kill -9. */
static enum exit_code lock(struct journal *journal, const char *path)
{
    journal->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (journal->directory < 0)
        return cannot("open", path);
    if (flock(journal->directory, LOCK_EX | LOCK_NB))
        return complain(EXIT_ENVIRONMENT, "%s: another gctax is writing this run", path);
    return EXIT_WELL;
}

static int open_files(struct journal *journal)
{
    for (int table = 0; table < JOURNAL_TABLES; table++) {
        journal->files[table] = openat(journal->directory, file_names[table], O_WRONLY | O_CLOEXEC);
        if (journal->files[table] < 0)
            return -1;
        journal->ends[table] = lseek(journal->files[table], 0, SEEK_END);
        if (journal->ends[table] < 0)
            return -1;
    }
    return 0;
}

static void start_empty(struct journal *journal)
{
    *journal = (struct journal){.directory = -1};
    for (int table = 0; table < JOURNAL_TABLES; table++)
        journal->files[table] = -1;
}

static int put_header(int directory, enum record_table table)
{
    struct csv header = {0};
    record_header(table, &header);
    csv_raw(&header, "\r\n", 2);
    int result = header.failed ? (errno = ENOMEM, -1)
                               : put_file(directory, file_names[table], header.data, header.length);
    csv_free(&header);
    return result;
}

static int fill(int directory, const struct csv *plan, const struct csv *environment)
{
    for (int table = 0; table < JOURNAL_TABLES; table++)
        if (put_header(directory, (enum record_table)table))
            return -1;
    if (put_file(directory, "environment.csv", environment->data, environment->length))
        return -1;
    return put_file(directory, "plan", plan->data, plan->length);
}

/* Removes our files; the plan first, so that no run seems to be there meanwhile. */
static void clear(int directory)
{
    char partial[64];
    for (size_t i = 0; i < OWN_FILES; i++) {
        unlinkat(directory, own_files[i], 0);
        snprintf(partial, sizeof partial, "%s" PARTIAL, own_files[i]);
        unlinkat(directory, partial, 0);
    }
}

enum exit_code journal_create(struct journal *journal, const char *path, const struct csv *plan,
                              const struct csv *environment)
{
    char made[PATH_MAX], trimmed[PATH_MAX];
    struct stat info;
    start_empty(journal);
    snprintf(trimmed, sizeof trimmed, "%s", path);
    for (size_t length = strlen(trimmed); length > 1 && trimmed[length - 1] == '/'; length--)
        trimmed[length - 1] = '\0';
    bool fresh = stat(trimmed, &info) != 0;
    snprintf(made, sizeof made, "%.*s", PATH_MAX - 32, trimmed);
    if (fresh) {
        snprintf(made + strlen(made), 32, ".%ld" PARTIAL, (long)getpid());
        if (make_parents(trimmed) || mkdir(made, 0777))
            return cannot("make", path);
    }
    enum exit_code code = lock(journal, made);
    if (code == EXIT_WELL && !fresh)
        clear(journal->directory);
    if (code == EXIT_WELL && (fill(journal->directory, plan, environment) || open_files(journal) ||
                              (fresh && rename(made, trimmed))))
        code = cannot("write to", path);
    if (code != EXIT_WELL && fresh) {
        if (journal->directory >= 0)
            clear(journal->directory);
        rmdir(made);
    }
    if (code != EXIT_WELL)
        journal_close(journal);
    return code;
}

/* Adds a whole file to `text`. 0, or -1 with errno. */
static int read_file(int directory, const char *name, struct csv *text)
{
    static char block[65536];
    ssize_t length;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((length = read(fd, block, sizeof block)) > 0)
        csv_raw(text, block, (size_t)length);
    int error = text->failed ? ENOMEM : errno;
    close(fd);
    errno = error;
    return length < 0 || text->failed ? -1 : 0;
}

enum exit_code journal_open(struct journal *journal, const char *path, struct csv *plan)
{
    struct stat info;
    start_empty(journal);
    if (stat(path, &info) || !S_ISDIR(info.st_mode))
        return complain(EXIT_USAGE, "--resume %s: no such folder", path);
    enum exit_code code = lock(journal, path);
    if (code == EXIT_WELL && read_file(journal->directory, "plan", plan))
        code = complain(EXIT_USAGE, "--resume %s: there is no run in it (no file plan)", path);
    if (code != EXIT_WELL)
        journal_close(journal);
    return code;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_key(const struct journal *journal, const char *key)
{
    return journal->committed_count &&
           bsearch(&key, journal->committed, journal->committed_count, sizeof key, compare_keys);
}

#define KEY_SIZE 256

bool journal_has(const struct journal *journal, const char *cell_id, const char *worker,
                 unsigned repeat)
{
    char key[KEY_SIZE];
    snprintf(key, sizeof key, "%s,%s,%u", cell_id, worker, repeat);
    return has_key(journal, key);
}

/* The key of a row, which is split in place. 0, or -1 where it is no row of the table. */
static int key_of(enum record_table table, char *row, char key[KEY_SIZE])
{
    static const int columns[JOURNAL_TABLES][3] = {
        [RECORD_CELLS] = {CELLS_cell_id, CELLS_worker, CELLS_repeat},
        [RECORD_PAUSES] = {PAUSES_cell_id, PAUSES_worker, PAUSES_repeat},
        [RECORD_LATENCY] = {LATENCY_cell_id, LATENCY_worker, LATENCY_repeat}};
    char *fields[METRIC_COUNT];
    int first = record_first(table);
    if (csv_parse(row, fields, METRIC_COUNT) != record_columns(table))
        return -1;
    snprintf(key, KEY_SIZE, "%s,%s,%s", fields[columns[table][0] - first],
             fields[columns[table][1] - first], fields[columns[table][2] - first]);
    return 0;
}

static int remember(struct journal *journal, const char *key)
{
    size_t count = journal->committed_count;
    if ((count & (count - 1)) == 0) { /* a power of two, or none: room for as many again */
        char **keys = realloc(journal->committed, (count ? count * 2 : 1) * sizeof *keys);
        if (!keys)
            return -1;
        journal->committed = keys;
    }
    if (!(journal->committed[count] = strdup(key)))
        return -1;
    journal->committed_count++;
    return 0;
}

/* Copies what stays of a table to `kept`: the header and each whole row that is committed. */
static enum exit_code sift(struct journal *journal, enum record_table table, struct csv *all,
                           struct csv *kept)
{
    struct csv row = {0};
    char key[KEY_SIZE];
    enum exit_code code = EXIT_WELL;
    record_header(table, kept);
    csv_raw(kept, "\r\n", 2);
    const char *end = all->data ? all->data + all->length : NULL, *at = all->data, *feed;
    for (size_t line = 1; at && code == EXIT_WELL; at = feed + 2, line++) {
        /* Fields hold no line ends, so that CRLF ends a row; a row without it was torn. */
        feed = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (!feed)
            break;
        csv_clear(&row);
        csv_raw(&row, at, (size_t)(feed - at) + 2);
        if (row.failed) {
            code = complain_memory();
        } else if (line == 1) {
            if (row.length != kept->length || memcmp(row.data, kept->data, row.length))
                code = complain(EXIT_ENVIRONMENT,
                                "%s has other columns than this gctax writes: go on with the "
                                "gctax that began it",
                                file_names[table]);
        } else if (key_of(table, row.data, key)) {
            if (feed + 2 != end)
                code = complain(EXIT_ENVIRONMENT, "%s, line %zu: is damaged; repair or delete it",
                                file_names[table], line);
        } else {
            /* The rows of cells say what is committed, those of the other tables follow. */
            if (table == RECORD_CELLS && remember(journal, key))
                code = complain_memory();
            else if (table == RECORD_CELLS || has_key(journal, key))
                csv_raw(kept, at, (size_t)(feed - at) + 2);
        }
    }
    csv_free(&row);
    return code;
}

static enum exit_code recover_table(struct journal *journal, enum record_table table)
{
    struct csv all = {0}, kept = {0};
    enum exit_code code = EXIT_WELL;
    if (read_file(journal->directory, file_names[table], &all) && errno != ENOENT)
        code = cannot("read", file_names[table]);
    if (code == EXIT_WELL)
        code = sift(journal, table, &all, &kept);
    if (code == EXIT_WELL && kept.failed)
        code = complain_memory();
    if (code == EXIT_WELL && kept.length != all.length &&
        put_file(journal->directory, file_names[table], kept.data, kept.length))
        code = cannot("write", file_names[table]);
    csv_free(&all);
    csv_free(&kept);
    return code;
}

enum exit_code journal_recover(struct journal *journal, const struct csv *environment)
{
    /* cells.csv first: it says what of the others stays. */
    enum exit_code code = recover_table(journal, RECORD_CELLS);
    if (code == EXIT_WELL && journal->committed_count)
        qsort(journal->committed, journal->committed_count, sizeof *journal->committed,
              compare_keys);
    if (code == EXIT_WELL)
        code = recover_table(journal, RECORD_PAUSES);
    if (code == EXIT_WELL)
        code = recover_table(journal, RECORD_LATENCY);
    if (code == EXIT_WELL && faccessat(journal->directory, "environment.csv", F_OK, 0) &&
        put_file(journal->directory, "environment.csv", environment->data, environment->length))
        code = cannot("write", "environment.csv");
    if (code == EXIT_WELL && open_files(journal))
        code = cannot("open", "the run's files");
    return code;
}

int journal_commit(struct journal *journal, const struct csv texts[JOURNAL_TABLES])
{
    static const enum record_table order[JOURNAL_TABLES] = {RECORD_PAUSES, RECORD_LATENCY,
                                                            RECORD_CELLS};
    for (int i = 0; i < JOURNAL_TABLES; i++) {
        enum record_table table = order[i];
        int fd = journal->files[table];
        if (!texts[table].length ||
            (!write_all(fd, texts[table].data, texts[table].length) && !fdatasync(fd)))
            continue;
        int error = errno;
        for (int back = 0; back < JOURNAL_TABLES; back++) {
            int file = journal->files[back];
            /* Where even this fails, the next resume does it. */
            if (!ftruncate(file, journal->ends[back]))
                lseek(file, journal->ends[back], SEEK_SET);
        }
        errno = error;
        return -1;
    }
    for (int table = 0; table < JOURNAL_TABLES; table++)
        journal->ends[table] += (off_t)texts[table].length;
    return 0;
}

void journal_close(struct journal *journal)
{
    for (int table = 0; table < JOURNAL_TABLES; table++)
        if (journal->files[table] >= 0)
            close(journal->files[table]);
    if (journal->directory >= 0)
        close(journal->directory);
    for (size_t i = 0; i < journal->committed_count; i++)
        free(journal->committed[i]);
    free(journal->committed);
    start_empty(journal);
}
