#include "commands.h"

#include "complain.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "gctax-"

/* Calls visit(context, folder) for each place until it returns true. */
static bool each_place(bool (*visit)(void *context, const char *folder), void *context)
{
    char own[PATH_MAX], folder[PATH_MAX + 32];
    if (process_executable(own, sizeof own)) {
        *strrchr(own, '/') = '\0';
        snprintf(folder, sizeof folder, "%s/../libexec/gctax", own);
        if (visit(context, own) || visit(context, folder))
            return true;
    }
    const char *path = getenv("PATH");
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)(length < PATH_MAX ? length : 0), path);
        if (folder[0] && visit(context, folder))
            return true;
    }
    return false;
}

struct wanted {
    const char *name;
    char path[2 * PATH_MAX];
};

static bool runnable(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode) && !access(path, X_OK);
}

static bool look(void *context, const char *folder)
{
    struct wanted *wanted = context;
    snprintf(wanted->path, sizeof wanted->path, "%s/" PREFIX "%s", folder, wanted->name);
    return runnable(wanted->path);
}

int commands_exec(const char *name, const char **argv)
{
    struct wanted wanted = {.name = name};
    if (strchr(name, '/') || !each_place(look, &wanted))
        return -1;
    argv[0] = wanted.path;
    execv(wanted.path, (char *const *)argv);
    return complain(EXIT_ENVIRONMENT, "cannot run %s: %s", wanted.path, strerror(errno));
}

struct found {
    char (*names)[COMMANDS_NAME_SIZE];
    size_t count;
};

static bool collect(void *context, const char *folder)
{
    struct found *found = context;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *name = entry->d_name + strlen(PREFIX);
        char path[2 * PATH_MAX];
        bool seen = strncmp(entry->d_name, PREFIX, strlen(PREFIX)) ||
                    !strncmp(name, "worker-", 7) || !strncmp(name, "bench-", 6) ||
                    strlen(name) >= COMMANDS_NAME_SIZE || found->count == COMMANDS_MAX;
        for (size_t i = 0; i < found->count && !seen; i++)
            seen = !strcmp(found->names[i], name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!seen && runnable(path))
            strcpy(found->names[found->count++], name);
    }
    if (directory)
        closedir(directory);
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

size_t commands_find(char names[COMMANDS_MAX][COMMANDS_NAME_SIZE])
{
    struct found found = {names, 0};
    each_place(collect, &found);
    qsort(names, found.count, COMMANDS_NAME_SIZE, compare);
    return found.count;
}
