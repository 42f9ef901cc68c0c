#include "commands.h"
#include "complain.h"
#include "list.h"
#include "options.h"
#include "run.h"
#include "suggest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int help_command(int argc, const char **argv);

static const struct {
    const char *name;
    int (*command)(int argc, const char **argv);
    void (*help)(void);
    const char *doc;
} builtins[] = {
    {"list", list_command, list_help, "variants, targets, workloads, metrics, presets, workers"},
    {"run", run_command, options_help,
     "measure cells and write their rows to a folder of CSV files"},
    {"help", help_command, NULL, "this text, or that of a command"},
};
#define BUILTINS (sizeof builtins / sizeof *builtins)

static void usage(void)
{
    char names[COMMANDS_MAX][COMMANDS_NAME_SIZE];
    puts(
        "Usage: gctax COMMAND [OPTIONS]\n\n"
        "What cyclic garbage collection costs an extension type, and whether the type needs it.\n");
    for (size_t i = 0; i < BUILTINS; i++)
        printf("  %-10s %s\n", builtins[i].name, builtins[i].doc);
    size_t count = commands_find(names);
    for (size_t i = 0; i < count; i++)
        printf("  %-10s a program, gctax-%s\n", names[i], names[i]);
    puts("\nExit codes: 0 all well; 1 a cell failed; 2 bad input, nothing written; 3 the "
         "environment\n"
         "(no worker, no space); 128+N stopped by signal N (130: Ctrl-C), what was written is "
         "valid.");
}

static int unknown(const char *name)
{
    char names[COMMANDS_MAX][COMMANDS_NAME_SIZE], near[SUGGEST_SIZE];
    const char *all[COMMANDS_MAX + BUILTINS];
    size_t count = commands_find(names);
    for (size_t i = 0; i < BUILTINS; i++)
        all[i] = builtins[i].name;
    for (size_t i = 0; i < count; i++)
        all[BUILTINS + i] = names[i];
    return complain(EXIT_USAGE, "no command %s%s", name,
                    suggest(near, name, all, BUILTINS + count));
}

static int help_command(int argc, const char **argv)
{
    const char *arguments[] = {NULL, "--help", NULL};
    if (argc < 2) {
        usage();
        return EXIT_WELL;
    }
    for (size_t i = 0; i < BUILTINS; i++)
        if (!strcmp(argv[1], builtins[i].name)) {
            (builtins[i].help ? builtins[i].help : usage)();
            return EXIT_WELL;
        }
    int code = commands_exec(argv[1], arguments);
    return code < 0 ? unknown(argv[1]) : code;
}

static int dispatch(int argc, const char **argv)
{
    if (argc < 2) {
        usage();
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("gctax " GCTAX_VERSION);
        return EXIT_WELL;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        usage();
        return EXIT_WELL;
    }
    if (argv[1][0] == '-')
        return complain(EXIT_USAGE, "unknown option %s; a command comes first (gctax help)",
                        argv[1]);
    for (size_t i = 0; i < BUILTINS; i++)
        if (!strcmp(argv[1], builtins[i].name))
            return builtins[i].command(argc - 1, argv + 1);
    int code = commands_exec(argv[1], argv + 1);
    return code < 0 ? unknown(argv[1]) : code;
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, (const char **)argv);
    if (fflush(stdout) || ferror(stdout)) {
        /* A reader that has seen enough (head) is no failure. */
        if (errno != EPIPE)
            complain(EXIT_ENVIRONMENT, "cannot write to standard output: %s", strerror(errno));
        return code ? code : EXIT_ENVIRONMENT;
    }
    return code;
}
