/* gctax-bench-X.Y: starts the interpreter as a worker does, takes the variants from its gctax_ext
 * and hands each, with each kind of benchmark, to Google Benchmark. */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "interp.h"
#include "memory.h"
#include "target_kinds.h"
#include "variant.h"
#include "worker_base.h"
#include "worker_seed.h"

enum { BENCH_OK = 0, BENCH_FAILED = 1, BENCH_USAGE = 2, BENCH_NO_INTERPRETER = 3 };

struct options {
    uint64_t iterations, repeat;
    int threads;
    bool memory, native;
    const char *allocator;
};

static void bench_help(const char *program)
{
    printf("usage: %s [OPTION]… [--benchmark_…]\n\n"
           "The variants of gctax_ext under Google Benchmark, as KIND/VARIANT. The kinds:\n",
           program);
    for (const struct bench_kind *const *kind = bench_kinds; *kind != NULL; kind++)
        printf("  %-16s %s\n", (*kind)->name, (*kind)->doc);
    printf("\n"
           "  --iterations=N   exactly N iterations of each, whatever time they take\n"
           "  --threads=N      create_destroy in N threads at once as well\n"
           "  --memory         a pass of its own for allocations and peak bytes\n"
           "  --allocator=WORD default, debug, malloc, malloc_debug, pymalloc, pymalloc_debug\n"
           "  --native-arena   memory is mapped as it is needed, not beforehand\n"
           "  --repeat=R       hash seed of the R-th repeat\n\n"
           "and the options of Google Benchmark:\n\n");
    fflush(stdout);
}

/* A decimal number from `least` to `most`; 0, or -1 after a line on standard error. */
static int bench_number(const char *name, const char *text, uint64_t least, uint64_t most,
                        uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value >= least &&
        *value <= most)
        return 0;
    fprintf(stderr, "gctax-bench: --%s is a number from %llu to %llu, not '%s'\n", name,
            (unsigned long long)least, (unsigned long long)most, text);
    return -1;
}

static int bench_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {{"iterations", required_argument, NULL, 'i'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"memory", no_argument, NULL, 'm'},
                                          {"allocator", required_argument, NULL, 'a'},
                                          {"native-arena", no_argument, NULL, 'n'},
                                          {"repeat", required_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
    uint64_t threads = 0;
    int letter;

    *options = (struct options){.allocator = "default"};
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        int failed = 0;
        if (letter == 'i')
            failed = bench_number("iterations", optarg, 1, 1000000000, &options->iterations);
        else if (letter == 't')
            failed = bench_number("threads", optarg, 1, 1024, &threads);
        else if (letter == 'r')
            failed = bench_number("repeat", optarg, 0, UINT32_MAX, &options->repeat);
        else if (letter == 'm')
            options->memory = true;
        else if (letter == 'n')
            options->native = true;
        else if (letter == 'a')
            options->allocator = optarg;
        else
            failed = -1; /* getopt_long() has said so */
        if (failed < 0)
            return -1;
    }
    if (optind < argc) {
        fprintf(stderr, "gctax-bench: unknown argument '%s'\n", argv[optind]);
        return -1;
    }
    options->threads = (int)threads;
    const char *refused = "no such allocator: default, debug, malloc, malloc_debug, pymalloc or "
                          "pymalloc_debug";
    if (interp_knows_allocator(options->allocator))
        refused = interp_refuses_allocator(options->allocator);
    if (refused != NULL)
        fprintf(stderr, "gctax-bench: --allocator=%s: %s\n", options->allocator, refused);
    return refused == NULL ? 0 : -1;
}

static void bench_context(bool native)
{
    gbench_context("python_version", interp_version());
    gbench_context("python_build", interp_build());
    gbench_context("python_compiler", interp_compiler());
    gbench_context("linkage", GCTAX_LINKAGE);
    gbench_context("python", GCTAX_PYTHON_EXECUTABLE);
    gbench_context("ext_compiler", GCTAX_EXT_COMPILER);
    gbench_context("libc", interp_libc());
    gbench_context("allocator", interp_active_allocator());
    gbench_context("arena", native ? "native" : "prefault");
    gbench_context("free_threaded", interp_free_threaded() ? "1" : "0");
    gbench_context("debug", interp_debug() ? "1" : "0");
}

/* An upper bound: the struct, its items, and what may lie before them. */
static uint64_t bench_bytes(const struct target *target)
{
    enum { BEFORE = 64 };
    if (target->type == NULL)
        return BEFORE;
    return BEFORE + (uint64_t)target->type->tp_basicsize +
           (uint64_t)target->fields * sizeof(PyObject *);
}

/* A subject for each kind and variant, which live as long as the process. 0, or -1 with an
 * exception or errno. */
static int bench_register_all(struct bench *bench, const struct options *options)
{
    const struct variant_table *table = bench->table;

    for (const struct bench_kind *const *kind = bench_kinds; *kind != NULL; kind++)
        for (unsigned i = 0; i < table->count; i++) {
            struct cell cell;
            struct bench_subject *subject = calloc(1, sizeof *subject);
            if (subject == NULL)
                return -1;
            cell_init(&cell);
            cell.target = table->variants[i].name;
            subject->bench = bench;
            subject->kind = *kind;
            subject->variant = table->variants[i].name;
            if (target_open(&subject->target, &cell, table, false, subject->why,
                            sizeof subject->why) == TARGET_OK)
                *subject->why = '\0';
            subject->bytes = bench_bytes(&subject->target);
            if (bench_register(subject, options->iterations, options->threads) < 0)
                return -1;
        }
    return 0;
}

static int bench_fail(const char *prefix)
{
    char line[1024];

    if (PyErr_Occurred())
        target_fail_exception(line, sizeof line, prefix);
    else
        snprintf(line, sizeof line, "%s%s", prefix, strerror(errno));
    fprintf(stderr, "gctax-bench: %s\n", line);
    return BENCH_NO_INTERPRETER;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct options options;
    char why[BENCH_TEXT], base[PATH_MAX];

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            bench_help(argv[0]);
    gbench_init(&argc, argv);
    if (bench_parse(&options, argc, argv) < 0)
        return BENCH_USAGE;
    if (worker_base(base) < 0) {
        perror("gctax-bench: its own path");
        return BENCH_NO_INTERPRETER;
    }
    if (interp_start(options.allocator, worker_hash_seed(1, options.repeat), why, sizeof why) < 0) {
        fprintf(stderr, "gctax-bench: %s\n", why);
        return BENCH_NO_INTERPRETER;
    }
    if ((bench.table = interp_variants(base)) == NULL)
        return bench_fail("cannot import gctax_ext: ");
    if (collector_open(&bench.collector) < 0 ||
        (options.memory && (bench.memory = bench_memory_open()) == NULL))
        return bench_fail("");
    /* What a batch keeps finds its pages resident, as the cells with arena=prefault do. */
    options.native = options.native || interp_free_threaded();
    const size_t resident = (size_t)2 * BENCH_SLOT_BYTES;
    if (!options.native && memory_prefault(resident, resident) < 0)
        return bench_fail("no memory beforehand: ");
    bench_context(options.native);
    if (bench_register_all(&bench, &options) < 0)
        return bench_fail("registering benchmarks: ");
    if (bench.memory != NULL)
        bench_memory_register(bench.memory);

    /* From here on each run attaches by itself. */
    PyThreadState *thread = PyEval_SaveThread();
    size_t chosen = gbench_run();
    PyEval_RestoreThread(thread);
    bench_heap_release(&bench);
    gbench_shutdown();
    if (chosen == 0)
        return BENCH_USAGE;
    return bench.failures == 0 ? BENCH_OK : BENCH_FAILED;
}
