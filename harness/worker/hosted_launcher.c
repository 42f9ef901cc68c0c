/* A program that is called as a worker and becomes the interpreter's own executable, which loads
 * the worker's body as a module. What an embedding worker sets in PyConfig, it sets by environment
 * and options: isolated mode cannot be used, because it ignores the environment that carries the
 * hash seed and the allocator; so every other PYTHON* variable is removed first. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker_base.h"
#include "worker_seed.h"

enum { HOSTED_NO_INTERPRETER = 3 }; /* exit code, docs/design.md */

extern char **environ;

/* Loads the module by its path: nothing beside it may be found by import. -P is not on every
 * release: with -c the current directory is the first entry of sys.path. */
static const char hosted_program[] =
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from importlib.machinery import ExtensionFileLoader as loader\n"
    "from importlib.util import spec_from_file_location, module_from_spec\n"
    "path, base, *argv = sys.argv[1:]\n"
    "sys.argv = ['']\n"
    "spec = spec_from_file_location('gctax_hosted', path, loader=loader('gctax_hosted', path))\n"
    "module = module_from_spec(spec)\n"
    "spec.loader.exec_module(module)\n"
    "del spec, path, loader, spec_from_file_location, module_from_spec\n"
    "code = module.run(argv, base)\n"
    "import os\n"
    "os._exit(code)\n";

static int hosted_scrub(void)
{
    for (char **variable = environ; *variable != NULL;) {
        char name[256];
        size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, "PYTHON", 6) != 0 || length >= sizeof name) {
            variable++;
            continue;
        }
        memcpy(name, *variable, length);
        name[length] = '\0';
        if (unsetenv(name) < 0)
            return -1;
        variable = environ; /* it has moved */
    }
    return 0;
}

/* The last `--name=value` of the arguments; `missing` where there is none. What is wrong with it
 * the module will say. */
static const char *hosted_argument(char **argv, const char *name, const char *missing)
{
    size_t length = strlen(name);
    const char *value = missing;

    for (; *argv != NULL; argv++)
        if (strncmp(*argv, name, length) == 0)
            value = *argv + length;
    return value;
}

/* Does the interpreter start with that PYTHONMALLOC? "default" is no variable at all; what it would
 * die of is left to the module to refuse. */
static bool hosted_allocator_starts(const char *allocator)
{
    static const char *const everywhere[] = {"debug", NULL};
    static const char *const with_gil[] = {"debug",    "malloc",         "malloc_debug",
                                           "pymalloc", "pymalloc_debug", NULL};
    bool free_threaded = strstr(GCTAX_PYTHON_BUILD, "free-threaded") != NULL;

    for (const char *const *word = free_threaded ? everywhere : with_gil; *word != NULL; word++)
        if (strcmp(*word, allocator) == 0)
            return true;
    return false;
}

static int hosted_set(char **argv)
{
    char seed[16];
    const char *allocator = hosted_argument(argv, "--allocator=", "default");
    uint64_t run_seed = strtoull(hosted_argument(argv, "--seed=", "0"), NULL, 10);
    uint64_t repeat = strtoull(hosted_argument(argv, "--repeat=", "0"), NULL, 10);

    snprintf(seed, sizeof seed, "%lu", (unsigned long)worker_hash_seed(run_seed, repeat));
    if (setenv("PYTHONHASHSEED", seed, 1) < 0)
        return -1;
    return hosted_allocator_starts(allocator) ? setenv("PYTHONMALLOC", allocator, 1) : 0;
}

int main(int argc, char **argv)
{
    enum { OWN = 8 };
    char base[PATH_MAX], module[2 * PATH_MAX];
    const char **arguments = calloc((size_t)argc + OWN + 1, sizeof *arguments);
    int count = 0;

    if (worker_base(base) < 0 || arguments == NULL || hosted_scrub() < 0 || hosted_set(argv) < 0) {
        perror("gctax-worker");
        free(arguments);
        return HOSTED_NO_INTERPRETER;
    }
    snprintf(module, sizeof module, "%s/%s", base, GCTAX_HOSTED_MODULE);
    const char *const own[OWN] = {GCTAX_PYTHON_EXECUTABLE, "-s",   "-S", "-B", "-c",
                                  hosted_program,          module, base};
    for (; count < OWN; count++)
        arguments[count] = own[count];
    for (int i = 0; i < argc; i++)
        arguments[count++] = argv[i];
    execv(GCTAX_PYTHON_EXECUTABLE, (char *const *)arguments);
    fprintf(stderr, "gctax-worker: %s: ", GCTAX_PYTHON_EXECUTABLE);
    perror(NULL);
    free(arguments);
    return HOSTED_NO_INTERPRETER;
}
